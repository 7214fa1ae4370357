#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "formats/weights/embd/embd_metadata.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/model_spec.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// The types that tensors can have. The index of a type is its number in the file.
inline constexpr std::array<ElementType, 9> tensor_types = {
    ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i32, ElementType::i16,
    ElementType::i8,  ElementType::u32, ElementType::u16,  ElementType::u8};

/// Returns the number of a type in the file; tensor_types.size() if tensors cannot have it.
std::size_t tensor_type_number(ElementType type) noexcept;

/// A tensor in the file, row-major. Valid as long as the WeightFile.
struct Tensor {
  std::string_view name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  Bytes data;                       ///< The values. They are aligned only if the file says so.
  std::uint64_t file_offset = 0;    ///< The place of `data` in the file.
  std::uint64_t descriptor_at = 0;  ///< The place of the tensor's descriptor in the file.

  std::uint64_t num_values() const noexcept { return data.size() / (element_bits(type) / 8); }
};

/// Returns the values of a float32 tensor in place; nothing if it has another type or if its
/// address is not a multiple of 4.
std::optional<std::span<const float>> view_floats(const Tensor& tensor) noexcept;

/// Converts the values of a tensor of type f32, f16 or bf16 to float32, exactly. `out` must have
/// num_values() values. Fails with tensor_wrong_type for an integer type, and with invalid_argument
/// if `out` has another length.
Result<void> to_floats(const Tensor& tensor, std::span<float> out);

/// Returns the number of columns of a block of a row of `cols` columns that consists of `blocks`
/// blocks: all columns if there is one block, else the least multiple of 64 with which there are no
/// more blocks.
constexpr std::uint32_t block_of(std::uint32_t cols, std::uint32_t blocks) noexcept {
  return blocks == 1 ? cols : ((cols - 1) / blocks / 64 + 1) * 64;
}

/// A weight matrix or embedding table, with the tensors that are needed to compute its values:
///   W[r, c] = values[r, c] × scale[r, c / block] ÷ smooth[c]
/// Only an i8 matrix has `scale`; `smooth` is rare. The pointers refer to the WeightFile.
struct WeightMatrix {
  const Tensor* values = nullptr;  ///< [rows, cols]
  /// The scale of each block of columns of each row, [rows, blocks], or [rows] if a row is one
  /// block; f32, finite and ≥ 0; null unless the values are i8.
  const Tensor* scale = nullptr;
  /// The smoothing factor of each column, [cols], f32, finite and > 0; null if there is none.
  const Tensor* smooth = nullptr;

  std::uint32_t rows() const noexcept { return values->shape.dims[0]; }
  std::uint32_t cols() const noexcept { return values->shape.dims[1]; }
  ElementType type() const noexcept { return values->type; }
  std::string_view name() const noexcept { return values->name; }
  /// Returns the number of blocks of a row of an i8 matrix, and the columns of a block.
  std::uint32_t blocks() const noexcept {
    return scale->shape.rank == 2 ? scale->shape.dims[1] : 1;
  }
  std::uint32_t block() const noexcept { return block_of(cols(), blocks()); }

  /// Returns W in place if it is float32, aligned to 4 bytes and not smoothed. Otherwise returns
  /// nothing, and to_floats() makes a copy.
  std::optional<MatrixView> view() const noexcept;
  /// Computes W as float32, [rows, cols]. `out` must have rows × cols values.
  Result<void> to_floats(std::span<float> out) const { return row_to_floats(0, rows(), out); }
  /// Computes rows [first, first + count) of W, for embedding tables that are looked up row by row.
  /// Fails with invalid_argument if the rows do not exist or `out` has another length.
  Result<void> row_to_floats(std::uint32_t first, std::uint32_t count, std::span<float> out) const;
};

/// The tensors of a file, in the order of its index and by name. Refers to the file.
struct TensorIndex {
  std::vector<Tensor> tensors;
  std::vector<std::uint32_t> by_name;  ///< The positions in `tensors`, sorted by name.

  /// Returns the tensor with this name; nullptr if there is none.
  const Tensor* find(std::string_view name) const noexcept;
  /// Returns true if the name of a tensor begins with `prefix`.
  bool has_prefix(std::string_view prefix) const noexcept;
};

/// Reads the index of a file. Checks that types, shapes and places are valid, that names are
/// distinct and have the stored hashes, and that no two tensors share bytes. If `file` ends before
/// the tensors' data, `elsewhere` has the data of each tensor, in the order of the index.
Result<TensorIndex> read_index(Bytes file, const EmbdSections& sections,
                               std::span<const Bytes> elsewhere = {});

/// The content of a file that describes its model: the numbers, the entries from which they come,
/// and the tensors.
struct ModelContents {
  const ModelSpec& spec;
  std::span<const MetadataEntry> metadata;
  const TensorIndex& index;
  /// The place of the index in the file, for messages about a missing tensor.
  std::uint64_t index_at;
};

/// Returns the weight matrices and tables that the model needs, sorted by name, each with its scale
/// and smoothing factors. A matrix of which the file has only a packed layout is left out. Fails
/// with metadata_contradiction if the tensors disagree with the numbers of the metadata, with
/// tensor_missing, tensor_wrong_shape or tensor_wrong_type, and with bad_value for a bad scale or
/// smoothing factor.
Result<std::vector<WeightMatrix>> model_matrices(const ModelContents& contents);

/// Encodes values as a tensor of `type` (f32, f16 or bf16) stores them, rounded to the nearest,
/// ties to even.
std::vector<std::byte> encode_floats(ElementType type, std::span<const float> values);

/// Multiplies each column by its factor.
void multiply_columns(Matrix& matrix, std::span<const float> factors);

/// The number of columns that share a scale in int8 if rows are rounded in blocks.
inline constexpr std::size_t int8_block = 64;

/// Returns the scale of each block of each row for int8, [rows, blocks]: the largest absolute value
/// divided by 127. It is 0 for a block of zeros. The last block of a row may be shorter than
/// `block`.
std::vector<float> int8_scales(MatrixView rows, std::size_t block = int8_block);
/// Quantizes rows to int8 with `scales` from int8_scales(), rounded to the nearest, ties to even:
/// [rows, cols].
std::vector<std::byte> encode_int8(MatrixView rows, std::span<const float> scales,
                                   std::size_t block = int8_block);

}  // namespace embd
