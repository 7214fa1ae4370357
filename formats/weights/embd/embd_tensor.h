#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "embd/element_type.h"
#include "embd/error.h"
#include "embd/matrix.h"
#include "formats/weights/tensor_shape.h"

namespace embd {

/// The types that tensors may have, each under its number in the file.
inline constexpr std::array<ElementType, 9> tensor_types = {
    ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i32, ElementType::i16,
    ElementType::i8,  ElementType::u32, ElementType::u16,  ElementType::u8};

/// The number of a type in the file; tensor_types.size() for one that tensors cannot have.
std::size_t tensor_type_number(ElementType type) noexcept;

/// A tensor as it lies in the file, row-major. A view: it lives as long as the WeightFile.
struct Tensor {
  std::string_view name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  Bytes data;                       ///< any alignment unless the file promises one
  std::uint64_t file_offset = 0;    ///< of `data`, absolute
  std::uint64_t descriptor_at = 0;  ///< of its entry in the index, absolute

  std::uint64_t num_values() const noexcept { return data.size() / (element_bits(type) / 8); }
};

/// The values of a float32 tensor in place; nothing if it has another type or lies at an address
/// that is no multiple of 4.
std::optional<std::span<const float>> view_floats(const Tensor& tensor) noexcept;

/// The values of a tensor of type f32, f16 or bf16 as float32, exactly. `out` holds num_values().
/// Errors: tensor_wrong_type for an integer type, invalid_argument for another length of `out`.
Result<void> to_floats(const Tensor& tensor, std::span<float> out);

/// A weight matrix or embedding table with the tensors that say what its stored values mean:
///   W[r, c] = values[r, c] × scale[r] ÷ smooth[c]
/// where `scale` exists for i8 alone and `smooth` rarely. Pointers into the WeightFile.
struct WeightMatrix {
  const Tensor* values = nullptr;  ///< [rows, cols]
  const Tensor* scale = nullptr;   ///< [rows], f32, finite and ≥ 0; null unless values are i8
  const Tensor* smooth = nullptr;  ///< [cols], f32, finite and > 0; null if there is none

  std::uint32_t rows() const noexcept { return values->shape.dims[0]; }
  std::uint32_t cols() const noexcept { return values->shape.dims[1]; }
  ElementType type() const noexcept { return values->type; }
  std::string_view name() const noexcept { return values->name; }

  /// W in place: float32, aligned to 4 and not smoothed. Otherwise nothing, and to_floats() makes a
  /// copy.
  std::optional<MatrixView> view() const noexcept;
  /// W as float32, [rows, cols], scale and smooth applied. `out` holds rows × cols.
  Result<void> to_floats(std::span<float> out) const { return row_to_floats(0, rows(), out); }
  /// Rows [first, first + count) of the same, for embedding tables that are looked up row by row.
  /// Errors: invalid_argument for rows outside the matrix or another length of `out`.
  Result<void> row_to_floats(std::uint32_t first, std::uint32_t count, std::span<float> out) const;
};

}  // namespace embd
