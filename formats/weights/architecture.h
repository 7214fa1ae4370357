#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "embd/enum_names.h"

// How the layers of an encoder compute. Each setting is independent of the others: families of
// models differ in which values they combine. A value is refused when a model is opened, until
// some family that embd runs needs it (engine/encoder/weights.cc).
namespace embd {

/// The way in which a network knows the place of a token in its text.
enum class Positions : std::uint8_t {
  table,     ///< A row of a table is added to the row of the word.
  rotation,  ///< Queries and keys are rotated by an angle for their place.
  none,      ///< Only a relative bias knows it, or nothing does.
};
inline constexpr EnumNames<Positions, 3> positions_names = {
    {{"table", Positions::table}, {"rotation", Positions::rotation}, {"none", Positions::none}}};

/// The number that is added to the score of a query and a key because of their distance.
enum class RelativeBias : std::uint8_t {
  none,
  buckets,  ///< A number for each head and each bucket of distances, the same in all layers.
};
inline constexpr EnumNames<RelativeBias, 2> relative_bias_names = {
    {{"none", RelativeBias::none}, {"buckets", RelativeBias::buckets}}};

/// The place of the two norms of a layer.
enum class NormPlace : std::uint8_t {
  after,  ///< A norm follows the sum of a step's input and result, as in BERT.
  /// A norm precedes each step but the first one, whose input are the normed embeddings, and one
  /// follows the last layer.
  before,
  before_all,  ///< As `before`, but the first step has a norm, too, and the embeddings have none.
  /// As `before_all`, and another norm follows each step, before its result is added to its input.
  around,
};
inline constexpr EnumNames<NormPlace, 4> norm_place_names = {{{"after", NormPlace::after},
                                                              {"before", NormPlace::before},
                                                              {"before_all", NormPlace::before_all},
                                                              {"around", NormPlace::around}}};

enum class NormKind : std::uint8_t {
  layer_norm,
  rms_norm,         ///< The mean is not subtracted.
  rms_norm_plus_1,  ///< The same, with weights to which 1 is added.
};
inline constexpr EnumNames<NormKind, 3> norm_kind_names = {
    {{"layer_norm", NormKind::layer_norm},
     {"rms_norm", NormKind::rms_norm},
     {"rms_norm_plus_1", NormKind::rms_norm_plus_1}}};

/// The network of two linear steps in a layer.
enum class FeedForward : std::uint8_t {
  plain,  ///< down(activation(up(x)))
  gated,  ///< down(activation(gate(x)) · up(x))
};
inline constexpr EnumNames<FeedForward, 2> feed_forward_names = {
    {{"plain", FeedForward::plain}, {"gated", FeedForward::gated}}};

/// The activation function of a feed-forward network.
enum class Activation : std::uint8_t {
  gelu,  ///< Exact GELU, computed with the error function.
  silu,
  relu,
  gelu_tanh,  ///< GELU, approximated with tanh.
};
inline constexpr EnumNames<Activation, 4> activation_names = {
    {{"gelu", Activation::gelu},
     {"silu", Activation::silu},
     {"relu", Activation::relu},
     {"gelu_tanh", Activation::gelu_tanh}}};

/// The modules of the layers that have a bias.
enum class Biases : std::uint8_t {
  all,            ///< Linear steps and norms.
  outside_gates,  ///< All but the steps `gate` and `up`.
  norms,          ///< Only norms.
  none,
};
inline constexpr EnumNames<Biases, 4> biases_names = {{{"true", Biases::all},
                                                       {"outside_gates", Biases::outside_gates},
                                                       {"norms", Biases::norms},
                                                       {"false", Biases::none}}};

inline constexpr EnumNames<bool, 2> boolean_names = {{{"true", true}, {"false", false}}};

/// Returns the words for the values of a setting, as files and messages spell them.
constexpr const auto& names_of(bool) noexcept {
  return boolean_names;
}
constexpr const auto& names_of(Biases) noexcept {
  return biases_names;
}
constexpr const auto& names_of(Positions) noexcept {
  return positions_names;
}
constexpr const auto& names_of(RelativeBias) noexcept {
  return relative_bias_names;
}
constexpr const auto& names_of(NormPlace) noexcept {
  return norm_place_names;
}
constexpr const auto& names_of(NormKind) noexcept {
  return norm_kind_names;
}
constexpr const auto& names_of(FeedForward) noexcept {
  return feed_forward_names;
}
constexpr const auto& names_of(Activation) noexcept {
  return activation_names;
}

/// The settings of an encoder's layers. The default is BERT.
struct Architecture {
  Positions positions = Positions::table;
  RelativeBias relative_bias = RelativeBias::none;
  NormPlace norm_place = NormPlace::after;
  NormKind norm_kind = NormKind::layer_norm;
  FeedForward feed_forward = FeedForward::plain;
  Activation activation = Activation::gelu;
  Biases biases = Biases::all;
  /// For Positions::rotation: component j of the two halves of a head, of D components, is rotated
  /// by theta^(−2j / D) for each place. `local_theta` is that of layers with a window.
  double theta = 10000;
  /// With a factor above 1, theta is multiplied by it and the frequencies are divided by
  /// factor^(2 / D), for texts that are longer than those the model was trained with (NTK scaling).
  double ntk_factor = 1;
  double local_theta = 10000;
  /// The greatest distance between a query and a key in each layer, where 0 stands for no limit.
  /// Empty if no layer has a limit.
  std::vector<std::uint32_t> windows;
  bool causal = false;  ///< True if a query sees only its own key and earlier ones.
  /// True if the queries and the keys of each head are normed before they are rotated.
  bool query_key_norms = false;
  bool scaled_embeddings = false;  ///< True if rows of the word table are multiplied by √hidden.

  bool norms_before() const noexcept { return norm_place != NormPlace::after; }
  /// Returns true if the first step has a norm before it, too.
  bool norms_before_all() const noexcept {
    return norm_place == NormPlace::before_all || norm_place == NormPlace::around;
  }
  /// Returns the window of a layer; 0 if it has none.
  std::uint32_t window(std::size_t layer) const noexcept {
    return layer < windows.size() ? windows[layer] : 0;
  }
  bool operator==(const Architecture&) const = default;
};

}  // namespace embd
