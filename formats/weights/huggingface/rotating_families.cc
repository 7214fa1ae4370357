#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "formats/weights/huggingface/bert_config.h"
#include "formats/weights/huggingface/tokenizer_files.h"

namespace embd::huggingface {
namespace {

using nlohmann::json;

constexpr const char* rope_key = "rope_parameters";
constexpr const char* types_key = "layer_types";
constexpr const char* full_type = "full_attention";
constexpr const char* sliding_type = "sliding_attention";

Result<double> read_theta(const JsonFile& file, std::string_view key, const json& found) {
  if (found.is_number() && found.get<double>() >= 1) return found.get<double>();
  return file.fail(ErrorCode::bad_value, key, "{}, expected a number from 1 on", found.dump());
}

/// Returns rope_theta of "rope_parameters"; nothing if there is none. Fails with unsupported for
/// another rotation than the usual one.
Result<std::optional<double>> theta_of(const JsonFile& file, const json& parameters) {
  if (parameters.is_null()) return std::nullopt;
  if (!parameters.is_object())
    return file.fail(ErrorCode::bad_type, rope_key, "expected an object");
  for (const auto& [name, value] : parameters.items()) {
    if (name == "rope_theta" || (name == "rope_type" && value == "default")) continue;
    return file.fail(ErrorCode::unsupported, rope_key,
                     "{} is {}, expected rope_theta and the rope_type default", name, value.dump());
  }
  const auto theta = parameters.find("rope_theta");
  if (theta == parameters.end()) return std::nullopt;
  return EMBD_TRY(read_theta(file, "rope_theta", *theta));
}

/// Returns rope_theta of a model whose layers all rotate alike: that of "rope_parameters" or, in
/// files of older classes, of `older_key`.
Result<double> read_rotation(const JsonFile& file, std::string_view older_key, double usual) {
  EMBD_TRY(file.require_unset("rope_scaling"));
  const auto parameters = file.root().find(rope_key);
  if (parameters != file.root().end()) {
    const auto theta = EMBD_TRY(theta_of(file, *parameters));
    if (theta) return *theta;
  }
  const auto older = file.root().find(std::string(older_key));
  if (older == file.root().end() || older->is_null()) return usual;
  return EMBD_TRY(read_theta(file, older_key, *older));
}

/// Reads the settings of NomicBERT: rotation, gates with SiLU, and biases only in norms.
Result<void> read_nomic(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto silu = std::to_array<std::string_view>({"silu", "swiglu"});
  for (const char* key : {"hidden_act", "activation_function"})
    EMBD_TRY(file.require_word(key, silu));
  for (const char* key : {"rotary_emb_interleaved", "rotary_scaling_factor",
                          "rotary_emb_scale_base", "prenorm", "parallel_block", "use_rms_norm",
                          "causal", "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias"}) {
    const auto found = file.root().find(key);
    if (found != file.root().end() && found->is_number() && *found != 0)
      return file.fail(ErrorCode::unsupported, key, found->dump());
    EMBD_TRY(file.require_unset(key));
  }
  if (EMBD_TRY(file.number_if_there("rotary_emb_fraction")).value_or(1) != 1) {
    return file.fail(ErrorCode::unsupported, "rotary_emb_fraction", "expected 1");
  }
  if (EMBD_TRY(file.number_if_there("moe_every_n_layers")).value_or(0) != 0) {
    return file.fail(ErrorCode::unsupported, "moe_every_n_layers",
                     "layers with several networks, which embd does not do");
  }
  sizes.architecture.feed_forward = FeedForward::gated;
  sizes.architecture.activation = Activation::silu;
  sizes.architecture.biases = Biases::norms;
  sizes.architecture.positions = Positions::rotation;
  constexpr double usual_theta = 1000;
  sizes.architecture.theta = EMBD_TRY(read_rotation(file, "rotary_emb_base", usual_theta));
  return {};
}

/// Reads the scaling of the rotation in the code that the first GTE models came with.
Result<void> read_ntk_scaling(const JsonFile& file, Architecture& architecture) {
  constexpr const char* key = "rope_scaling";
  const json& scaling = member(file.root(), key);
  if (scaling.is_null()) return {};
  const json& factor = member(scaling, "factor");
  const bool is_known = member(scaling, "type") == "ntk" && member(scaling, "mixed_b").is_null();
  if (!is_known || !factor.is_number() || factor.get<double>() < 1)
    return refuse(file, key, scaling, "the type ntk with a factor from 1 on");
  architecture.ntk_factor = factor.get<double>();
  return {};
}

/// Reads the settings of GTE: rotation, gates with GELU, and biases outside the gates. The first
/// models have the type "new" and other usual values.
Result<void> read_gte(const JsonFile& file, ModelSpec& sizes) {
  const bool is_first = member(file.root(), "model_type") == "new";
  constexpr const char* types = "type_vocab_size";
  const json& num_types = member(file.root(), types);
  if (num_types.is_null()) {
    sizes.token_types = is_first ? 1 : 0;
  } else {
    sizes.token_types = num_types == 0 ? 0 : EMBD_TRY(file.positive(types));
  }
  sizes.architecture.feed_forward = FeedForward::gated;
  sizes.architecture.biases = Biases::outside_gates;
  sizes.architecture.positions = Positions::rotation;
  constexpr double usual_theta = 160'000;
  if (!is_first) {
    sizes.architecture.theta = EMBD_TRY(read_rotation(file, "rope_theta", usual_theta));
    return {};
  }
  static constexpr auto rotation = std::to_array<std::string_view>({"rope"});
  static constexpr auto norm = std::to_array<std::string_view>({"layer_norm"});
  EMBD_TRY(file.require_word("position_embedding_type", rotation));
  EMBD_TRY(file.require_word("layer_norm_type", norm));
  for (const char* key : {"logn_attention_scale", "logn_attention_clip1"})
    EMBD_TRY(file.require_unset(key));
  constexpr double first_theta = 10'000;
  const json& theta = member(file.root(), "rope_theta");
  sizes.architecture.theta =
      theta.is_null() ? first_theta : EMBD_TRY(read_theta(file, "rope_theta", theta));
  return read_ntk_scaling(file, sizes.architecture);
}

/// Returns the theta of the layers of one type in a file of ModernBERT or Gemma 3: that of
/// "rope_parameters" or, in older files, of `older_key`. An older file without a value for layers
/// with a window has one for all.
Result<double> read_theta_of_type(const JsonFile& file, const char* type, const char* older_key,
                                  double usual, double if_null) {
  const json& parameters = member(file.root(), rope_key);
  if (!parameters.is_null()) {
    if (!parameters.is_object())
      return file.fail(ErrorCode::bad_type, rope_key, "expected an object");
    return EMBD_TRY(theta_of(file, member(parameters, type))).value_or(usual);
  }
  if (!file.root().contains(older_key)) return usual;
  const json& older = member(file.root(), older_key);
  return older.is_null() ? if_null : EMBD_TRY(read_theta(file, older_key, older));
}

/// Reads the width of windows. Returns half of it: the places that a query sees on either side.
Result<std::uint32_t> read_window(const JsonFile& file, std::string_view key) {
  const std::uint32_t width = EMBD_TRY(file.positive(key));
  if (width >= 2) return width / 2;
  return file.fail(ErrorCode::bad_value, key, "1, expected at least 2");
}

/// Reads which layers have a window from "layer_types", which has a type for each layer.
Result<void> read_layer_types(const JsonFile& file, std::uint32_t window, ModelSpec& sizes) {
  const json& types = member(file.root(), types_key);
  if (!types.is_array() || types.size() != sizes.num_layers) {
    return file.fail(ErrorCode::bad_value, types_key, "expected a type for each of {} layers",
                     sizes.num_layers);
  }
  std::vector<std::uint32_t>& windows = sizes.architecture.windows;
  for (const json& type : types) {
    if (type != full_type && type != sliding_type) {
      return file.fail(ErrorCode::unsupported, types_key, "{}, expected {} or {}", type.dump(),
                       full_type, sliding_type);
    }
    windows.push_back(type == full_type ? 0 : window);
  }
  if (std::ranges::max(windows) == 0) windows.clear();
  return {};
}

/// Reads which layers of ModernBERT have a window.
Result<void> read_windows(const JsonFile& file, ModelSpec& sizes) {
  // The list of windows is made before the weights prove the number of layers.
  constexpr std::uint32_t most_layers = 4096;
  if (sizes.num_layers > most_layers) {
    return file.fail(ErrorCode::bad_value, "num_hidden_layers", "{}, expected at most {}",
                     sizes.num_layers, most_layers);
  }
  constexpr const char* key = "local_attention";
  constexpr std::uint32_t usual_window = 64;
  const std::uint32_t window = file.has(key) ? EMBD_TRY(read_window(file, key)) : usual_window;
  if (file.has(types_key)) return read_layer_types(file, window, sizes);
  constexpr const char* period_key = "global_attn_every_n_layers";
  constexpr std::uint32_t usual_period = 3;
  const std::uint32_t period =
      file.has(period_key) ? EMBD_TRY(file.positive(period_key)) : usual_period;
  std::vector<std::uint32_t>& windows = sizes.architecture.windows;
  for (std::uint32_t i = 0; i < sizes.num_layers; ++i)
    windows.push_back(i % period == 0 ? 0 : window);
  if (std::ranges::max(windows) == 0) windows.clear();
  return {};
}

/// Reads the settings of ModernBERT: rotation, gates, norms before the steps, windows in some
/// layers, and no biases.
Result<void> read_modernbert(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto activations = std::to_array<std::string_view>({"gelu", "silu"});
  constexpr const char* activation_key = "hidden_activation";
  EMBD_TRY(file.require_word(activation_key, activations));
  for (const char* key : {"attention_bias", "mlp_bias", "norm_bias"})
    EMBD_TRY(file.require_unset(key));
  Architecture& architecture = sizes.architecture;
  architecture.norm_place = NormPlace::before;
  architecture.feed_forward = FeedForward::gated;
  architecture.biases = Biases::none;
  architecture.positions = Positions::rotation;
  if (EMBD_TRY(file.text_if_there(activation_key)) == "silu")
    architecture.activation = Activation::silu;
  constexpr double usual_theta = 160'000;
  constexpr double usual_local_theta = 10'000;
  architecture.theta =
      EMBD_TRY(read_theta_of_type(file, full_type, "global_rope_theta", usual_theta, usual_theta));
  architecture.local_theta = EMBD_TRY(read_theta_of_type(file, sliding_type, "local_rope_theta",
                                                         usual_local_theta, architecture.theta));
  return read_windows(file, sizes);
}

/// Reads the settings of Qwen3: causal attention with norms of each head, RMSNorm before all steps,
/// gates with SiLU, and no biases.
Result<void> read_qwen3(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto silu = std::to_array<std::string_view>({"silu"});
  EMBD_TRY(file.require_word("hidden_act", silu));
  for (const char* key : {"attention_bias", "use_sliding_window"})
    EMBD_TRY(file.require_unset(key));
  for (const json& type : member(file.root(), types_key))
    if (type != full_type) return refuse(file, types_key, type, full_type);
  Architecture& architecture = sizes.architecture;
  architecture.norm_place = NormPlace::before_all;
  architecture.norm_kind = NormKind::rms_norm;
  architecture.feed_forward = FeedForward::gated;
  architecture.activation = Activation::silu;
  architecture.biases = Biases::none;
  architecture.positions = Positions::rotation;
  architecture.causal = true;
  architecture.query_key_norms = true;
  constexpr double usual_theta = 10'000;
  architecture.theta = EMBD_TRY(read_rotation(file, "rope_theta", usual_theta));
  return {};
}

/// Reads the settings of Gemma 3 as an encoder: norms around all steps, windows in some layers,
/// gates with GELU by tanh, and no biases.
Result<void> read_gemma3(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto activations = std::to_array<std::string_view>({"gelu_pytorch_tanh"});
  EMBD_TRY(file.require_word("hidden_activation", activations));
  for (const char* key :
       {"attention_bias", "attn_logit_softcapping", "final_logit_softcapping", "rope_scaling"})
    EMBD_TRY(file.require_unset(key));
  if (EMBD_TRY(file.flag_if_there("use_bidirectional_attention")) != true) {
    return file.fail(ErrorCode::unsupported, "use_bidirectional_attention",
                     "expected true, as in EmbeddingGemma");
  }
  constexpr const char* scale_key = "query_pre_attn_scalar";
  if (EMBD_TRY(file.positive(scale_key)) != sizes.head_size) {
    return file.fail(ErrorCode::unsupported, scale_key, "expected head_dim, which is {}",
                     sizes.head_size);
  }
  Architecture& architecture = sizes.architecture;
  architecture.norm_place = NormPlace::around;
  architecture.norm_kind = NormKind::rms_norm_plus_1;
  architecture.feed_forward = FeedForward::gated;
  architecture.activation = Activation::gelu_tanh;
  architecture.biases = Biases::none;
  architecture.positions = Positions::rotation;
  architecture.query_key_norms = true;
  architecture.scaled_embeddings = true;
  constexpr double usual_theta = 1'000'000;
  constexpr double usual_local_theta = 10'000;
  architecture.theta =
      EMBD_TRY(read_theta_of_type(file, full_type, "rope_theta", usual_theta, usual_theta));
  architecture.local_theta = EMBD_TRY(read_theta_of_type(file, sliding_type, "rope_local_base_freq",
                                                         usual_local_theta, usual_local_theta));
  return read_layer_types(file, EMBD_TRY(read_window(file, "sliding_window")), sizes);
}

}  // namespace

Result<void> read_rotating(const JsonFile& file, Family family, ModelSpec& sizes) {
  switch (family) {
    case Family::nomic:
      return read_nomic(file, sizes);
    case Family::gte:
      return read_gte(file, sizes);
    case Family::modernbert:
      return read_modernbert(file, sizes);
    case Family::qwen3:
      return read_qwen3(file, sizes);
    case Family::gemma3:
      return read_gemma3(file, sizes);
    default:
      return {};
  }
}

Result<void> read_modernbert_head(const JsonFile& file, ModelSpec& sizes) {
  static constexpr auto poolings = std::to_array<std::string_view>({"cls", "mean"});
  static constexpr auto gelu = std::to_array<std::string_view>({"gelu"});
  constexpr const char* pooling_key = "classifier_pooling";
  EMBD_TRY(file.require_word(pooling_key, poolings));
  EMBD_TRY(file.require_word("classifier_activation", gelu));
  EMBD_TRY(file.require_unset("classifier_bias"));
  sizes.head_norm = true;
  if (EMBD_TRY(file.text_if_there(pooling_key)) == "mean") sizes.classifier_pooling = Pooling::mean;
  return {};
}

}  // namespace embd::huggingface
