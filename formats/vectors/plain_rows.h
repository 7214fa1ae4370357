#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "embd/vectors.h"

namespace embd {

/// Rows of plain elements that lie at equal distances in bytes that somebody else owns: what the
/// simple formats have in common. Whoever fills it has checked the extents; the ranges of rows
/// given to read() exist.
struct PlainRows {
  Bytes bytes = {};  ///< from the first element of the first row on
  std::uint64_t num_rows = 0;
  std::uint64_t dim = 0;
  ElementType type = ElementType::f32;  ///< a plain one
  std::uint64_t stride = 0;             ///< bytes from one row to the next

  std::uint64_t row_bytes() const noexcept { return dim * (element_bits(type) / 8); }
  Bytes row(std::uint64_t i) const noexcept { return bytes.subspan(i * stride, row_bytes()); }

  /// Decodes as VectorReader::read() does.
  void read(std::uint64_t first, std::uint64_t count, std::span<float> out) const;
  /// As PlainRowSource's members of these names.
  Result<void> read_stored(std::uint64_t first, std::uint64_t count,
                           std::vector<std::byte>& out) const;
  std::optional<MatrixView> view() const noexcept;
};

}  // namespace embd
