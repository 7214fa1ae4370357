#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/vectors.h"

namespace embd {

/// Rows of plain elements at equal distances in memory. Simple formats share this code. The bytes
/// are not owned. Whoever fills the structure has checked that all rows are inside `bytes`; rows
/// that are passed to read() must exist.
struct PlainRows {
  Bytes bytes = {};  ///< The bytes from the first element of the first row on.
  std::uint64_t num_rows = 0;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;  ///< A plain element type.
  std::uint64_t stride = 0;  ///< The distance between the beginnings of two rows in bytes.

  std::uint64_t row_bytes() const noexcept { return dim * (element_bits(type) / 8); }
  Bytes row(std::uint64_t i) const noexcept { return bytes.subspan(i * stride, row_bytes()); }

  /// Decodes rows as VectorReader::read() does.
  void read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// read_stored() and view() do what the members of PlainRowSource with these names do.
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const;
  std::optional<MatrixView> view() const noexcept;
};

}  // namespace embd
