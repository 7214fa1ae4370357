#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/element_type.h"
#include "embd/error.h"
#include "formats/weights/model_spec.h"
#include "formats/weights/tensor_shape.h"

// The one place that names the tensors of a model. What checks them in a file, converts them from a
// folder, writes them and packs them for the kernels asks here; the test weight_names fails where
// another source spells a name.
namespace embd {

/// The tables, linear steps and norms that a model is made of, each of one or two tensors.
enum class Module : std::uint8_t {
  word_embeddings,
  position_embeddings,
  token_type_embeddings,
  embeddings_norm,
  // One in each layer.
  query,
  key,
  value,
  attention_output,
  attention_norm,
  up,
  down,
  output_norm,
  // Modules of a classifier.
  pooler,
  classifier,
};

/// The use of a tensor, which decides the types it may have.
enum class TensorRole : std::uint8_t {
  word_table,   ///< f32, f16, bf16, i8 with scale
  table,        ///< f32, f16, bf16
  matrix,       ///< f32, f16, bf16, i8 with scale; may be smoothed
  head_matrix,  ///< f32, f16, bf16
  vector        ///< f32
};

bool is_allowed(TensorRole role, ElementType type) noexcept;

/// How the rows of a tensor are compared with the number that the spec says.
enum class RowRule : std::uint8_t { exact, at_least, any };

bool fits(RowRule rule, std::uint64_t found, std::uint32_t expected) noexcept;

/// A tensor that a model needs.
struct ModelTensor {
  Module module;
  std::string name;   ///< in an EMBD file
  TensorShape shape;  ///< as the spec says
  TensorRole role;
  RowRule rows = RowRule::exact;  ///< in an EMBD file
  RowRule checkpoint_rows =
      RowRule::exact;  ///< any: zeros are added, or rows left out; at_least: left out
};

/// Calls `visit` with each tensor that a model of `spec` needs, in the order in which files have
/// them, until one call fails; its error is returned. The tensors are made one by one, since a
/// hostile file may claim billions of layers.
Result<void> for_each_tensor(const ModelSpec& spec,
                             const std::function<Result<void>(const ModelTensor&)>& visit);

/// The names of a module's tensors in an EMBD file. `layer` counts only where each layer has one. A
/// table has no bias.
std::string weight_name(Module module, std::uint32_t layer = 0);
std::string bias_name(Module module, std::uint32_t layer = 0);

/// The shape of a module's weight: [rows, columns] of a table, [out, in] of a linear step, [values]
/// of a norm.
TensorShape weight_shape(Module module, const ModelSpec& spec);

/// The names under which a checkpoint may have a tensor, in the order in which they are looked for:
/// with and without the prefix of the task model that it was saved in, and with the older names of
/// a norm's two and those of RoBERTa's classifier.
std::vector<std::string> checkpoint_names(const ModelTensor& tensor);

/// The tensors beside a matrix that say what its stored values mean.
std::string scale_name(std::string_view matrix);
std::string smooth_name(std::string_view matrix);
/// The beginning of the names of a matrix in the layout of a kernel.
std::string packed_prefix(std::string_view matrix);

/// The tables of a Unigram tokenizer, which an EMBD file holds as tensors of one dimension.
enum class UnigramTable : std::uint8_t {
  scores,        ///< f32, of each piece
  trie,          ///< u32, the units of a unigram::DoubleArray of the pieces
  character_map  ///< u8, the bytes of a unigram::CharacterMap
};
std::string_view table_name(UnigramTable table) noexcept;

/// The layer that a tensor of this name belongs to; nothing for a name outside the layers. A number
/// too large to count is as large as can be.
std::optional<std::uint32_t> layer_of(std::string_view name);

/// A dimension of a tensor that tells a number of the spec: where they differ, the number is the
/// fault, and not each tensor that has it.
struct Witness {
  SpecNumber number;
  std::string tensor;
  unsigned dim;
  RowRule rule = RowRule::exact;
};
std::vector<Witness> witnesses();

}  // namespace embd
