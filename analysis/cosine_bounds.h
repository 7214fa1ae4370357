#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/cosine_rows.h"

namespace embd {

/// Directions along which many rows are long: an orthonormal basis, found in a sample of the rows.
/// [directions, dim].
Matrix long_directions(const CosineRows& rows, std::size_t num_directions);

/// Short rows in place of long ones: the dot product of two is no less than the cosine of the rows
/// that they stand for. Most pairs are ruled out by them, with a sixth of the arithmetic or less.
///
/// A short row has the components of a unit row along some directions and, last, the length of the
/// rest of it. By Cauchy and Schwarz the rests of two rows add no more to their cosine than the
/// product of their lengths. Rounding is allowed for: whatever the directions and the processor, no
/// pair is ruled out wrongly.
class CosineBounds {
 public:
  /// Values of a short row.
  static constexpr std::size_t width = 64;

  /// True if short rows of rows of `dim` values save enough.
  static bool suits(std::size_t dim) noexcept { return dim >= 3 * width; }
  /// Returns by how much the dot product of two short rows may be too small.
  static float slack(std::size_t dim) noexcept;
  /// Makes the short rows of the rows named in `chosen`. `directions`: [width − 1, dim].
  static Result<CosineBounds> create(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                     MatrixView directions, int threads);

  /// The short rows from `first` on, [n, width].
  const float* rows(std::size_t first) const noexcept { return rows_.data() + first * width; }

 private:
  CosineBounds() = default;
  std::vector<float> rows_;
};

}  // namespace embd
