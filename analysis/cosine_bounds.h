#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analysis/cosine_rows.h"

namespace embd {

/// Returns an orthonormal basis of directions along which many rows are long, [directions, dim]. It
/// is found in a sample of the rows.
Matrix long_directions(const CosineRows& rows, std::size_t num_directions);

/// Short rows that stand for long ones and give upper bounds: the dot product of two short rows is
/// at least the cosine similarity of the rows that they stand for. They rule out most pairs with a
/// sixth of the arithmetic or less.
///
/// A short row has the components of a unit row along some directions and, last, the length of the
/// remainder. By the inequality of Cauchy and Schwarz, the remainders of two rows add at most the
/// product of their lengths to the cosine. Rounding errors are allowed for, so no pair is ruled out
/// wrongly, whatever the directions and the processor.
class CosineBounds {
 public:
  /// The number of values in a short row.
  static constexpr std::size_t width = 64;

  /// Returns true if rows of `dim` values are so long that short rows save work.
  static bool suits(std::size_t dim) noexcept { return dim >= 3 * width; }
  /// Returns the largest amount by which rounding can make the dot product of two short rows too
  /// small.
  static float slack(std::size_t dim) noexcept;
  /// Makes the short rows of the rows in `chosen`. `directions` is [width − 1, dim].
  static Result<CosineBounds> create(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                     MatrixView directions, int threads);

  /// Returns the short rows from number `first` on, [n, width].
  const float* rows(std::size_t first) const noexcept { return rows_.data() + first * width; }

 private:
  CosineBounds() = default;
  std::vector<float> rows_;
};

}  // namespace embd
