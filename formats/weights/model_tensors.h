#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"
#include "formats/weights/model_spec.h"

// The tensors of a model. This is the only place that names them: code that checks, converts,
// writes or packs tensors asks here. The test weight_names fails if another source spells a name.
namespace embd {

/// The shape of a tensor: one to four dimensions, none of them 0.
struct TensorShape {
  TensorShape() = default;
  TensorShape(std::initializer_list<std::uint32_t> list);

  std::array<std::uint32_t, 4> dims{};  ///< The dimensions; 0 beyond `rank`.
  unsigned rank = 0;

  std::span<const std::uint32_t> view() const noexcept { return {dims.data(), rank}; }
  bool operator==(const TensorShape&) const = default;
  /// Returns the shape as a text, such as "[384, 1536]".
  std::string text() const;
};

/// The families of models that name their tensors alike in a checkpoint.
enum class Family : std::uint8_t {
  bert,
  roberta,
  mpnet,
  distilbert,
  nomic,
  gte,
  modernbert,
  qwen3,
  gemma3
};

/// The tables, linear steps and LayerNorms of a model. Each has one or two tensors.
enum class Module : std::uint8_t {
  word_embeddings,
  position_embeddings,
  token_type_embeddings,
  embeddings_norm,
  relative_bias,  ///< A number for each bucket of distances and each head.
  // One in each layer.
  query,
  key,
  value,
  query_norm,  ///< The norm of each head of queries, with Architecture::query_key_norms.
  key_norm,
  attention_output,
  attention_norm,
  attention_result_norm,  ///< The norm that follows attention, with NormPlace::around.
  gate,
  up,
  down,
  output_norm,
  output_result_norm,  ///< The norm that follows the feed-forward network.
  final_norm,          ///< The norm after the last layer, if norms precede the steps.
  // Modules of a classifier.
  pooler,
  head_norm,  ///< The norm between the two linear steps.
  classifier,
  vector_module,  ///< One of ModelSpec::modules.
};

/// The use of a tensor, which determines the types that it may have.
enum class TensorRole : std::uint8_t {
  word_table,   ///< The word table: f32, f16, bf16, or i8 with scale.
  table,        ///< Another table: f32, f16 or bf16.
  matrix,       ///< A weight matrix: f32, f16, bf16, or i8 with scale; may have smoothing factors.
  head_matrix,  ///< A weight matrix of a classifier: f32, f16 or bf16.
  vector        ///< A bias or a tensor of a LayerNorm: f32.
};

bool is_allowed(TensorRole role, ElementType type) noexcept;

/// The rule by which the number of rows of a tensor is compared with the number in the spec.
enum class RowRule : std::uint8_t {
  exact,
  at_least,
  /// Rows may be there in excess, and one may be missing. No more, so that a number in a
  /// configuration does not decide how much memory is filled with zeros.
  one_missing
};

bool fits(RowRule rule, std::uint64_t found, std::uint32_t expected) noexcept;

/// A tensor that a model needs.
struct ModelTensor {
  Module module;
  std::string name;   ///< Its name in an EMBD file.
  TensorShape shape;  ///< Its shape according to the spec.
  TensorRole role;
  RowRule rows = RowRule::exact;  ///< The rule for an EMBD file.
  /// The rule for a checkpoint. With `one_missing`, the missing row is filled with zeros; rows in
  /// excess are left out, also with `at_least`.
  RowRule checkpoint_rows = RowRule::exact;
};

/// Calls `visit` with each tensor that a model of `spec` needs, in the order of files, and stops at
/// the first error, which is returned. The tensors are described one by one instead of in a list,
/// because a malicious file may claim billions of layers.
Result<void> for_each_tensor(const ModelSpec& spec,
                             const std::function<Result<void>(const ModelTensor&)>& visit);

/// weight_name() and bias_name() return the names of a module's tensors in an EMBD file. `layer` is
/// used only for modules that every layer has. A table has no bias.
std::string weight_name(Module module, std::uint32_t layer = 0);
std::string bias_name(Module module, std::uint32_t layer = 0);

/// vector_module_weight() and vector_module_bias() return the names of the tensors of one of
/// ModelSpec::modules in an EMBD file, by its number, from 0.
std::string vector_module_weight(std::uint32_t number);
std::string vector_module_bias(std::uint32_t number);

/// Returns the shape of a module's weight: [rows, columns] of a table, [out, in] of a linear step,
/// [values] of a LayerNorm.
TensorShape weight_shape(Module module, const ModelSpec& spec);

/// Returns true if models of `spec` have the module: one outside the layers, or one of this layer.
bool has_module(Module module, const ModelSpec& spec, std::uint32_t layer = 0);
/// Returns true if the module has a bias besides its weight.
bool has_bias(Module module, const ModelSpec& spec);

/// The place of a tensor in a checkpoint: a whole tensor, or one of several parts of equal size
/// that a tensor has one below the other.
struct CheckpointTensor {
  std::string name;
  std::uint32_t part = 0;
  std::uint32_t parts = 1;

  bool operator==(const CheckpointTensor&) const = default;
};

/// Returns the places that a tensor may have in a checkpoint of this family, in the order in which
/// they are tried: without and with the prefix of the task model, and with the older names of a
/// LayerNorm's tensors. A tensor of one of ModelSpec::modules lies in a file of its own and
/// has one place, see vector_module_tensor().
std::vector<CheckpointTensor> checkpoint_places(const ModelTensor& tensor, Family family);

/// Returns the name in an EMBD file of a tensor that lies in the file of a vector module, such as
/// "linear.weight" of a Dense; empty if such a module has no such tensor.
std::string vector_module_tensor(VectorModuleKind kind, std::uint32_t number,
                                 std::string_view tensor);

/// scale_name() and smooth_name() return the names of the tensors that are needed to compute the
/// values of a stored matrix, see WeightMatrix.
std::string scale_name(std::string_view matrix);
std::string smooth_name(std::string_view matrix);
/// Returns the beginning of the names of the tensors that hold a matrix in the layout of a kernel.
std::string packed_prefix(std::string_view matrix);

/// The tables of a Unigram tokenizer.
enum class UnigramTable : std::uint8_t {
  scores,        ///< f32 [pieces]; or u32 [pieces, 2], the bits of float64: the score of each.
  trie,          ///< u32 [units]: the units of a DoubleArray of the pieces.
  character_map  ///< u8 [bytes]: the bytes of a unigram::CharacterMap.
};
std::string_view table_name(UnigramTable table) noexcept;
/// Returns the name of the merges of a BPE tokenizer, u32 [merges, 2]: the ids of the two tokens
/// that each merge joins, in the order of their ranks.
std::string_view merges_name() noexcept;

/// Returns the layer that a tensor with this name belongs to; nothing if it is outside the layers.
/// If the number does not fit uint32, returns the greatest uint32.
std::optional<std::uint32_t> layer_of(std::string_view name);

/// A dimension of a tensor that must agree with a number of the spec. If it does not, the error is
/// about the number, because each tensor with this dimension would be wrong.
struct Witness {
  SpecNumber number;
  std::string tensor;
  unsigned dim;
  RowRule rule = RowRule::exact;
};
std::vector<Witness> witnesses();

/// The factors by which the columns of matrices are multiplied before they are rounded to int8. The
/// inputs are divided by them, so that columns of large inputs leave more steps for the others.
struct SmoothingFactors {
  struct Layer {
    std::vector<float> attention;     ///< [hidden]; of the matrices of query, key and value
    std::vector<float> feed_forward;  ///< [hidden]; of the first step of the feed-forward network
  };
  std::vector<Layer> layers;

  /// Returns the factors of the columns of a module's matrix; empty if it is not smoothed.
  std::span<const float> of(Module module, std::uint32_t layer) const noexcept {
    if (layer >= layers.size()) return {};
    switch (module) {
      case Module::query:
      case Module::key:
      case Module::value:
        return layers[layer].attention;
      case Module::gate:
      case Module::up:
        return layers[layer].feed_forward;
      default:
        return {};
    }
  }
};

}  // namespace embd
