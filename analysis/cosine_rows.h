#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "index/distances/distance.h"

namespace embd {

/// The distance 1 − cosine similarity of opposite rows, which is the greatest possible.
constexpr float farthest_distance = 2;

/// A view of rows [n, dim] with the inverses of their lengths, which is all that cosine
/// similarities need. The rows belong to the caller and must not move. Immutable; any number of
/// threads may read it at the same time.
class CosineRows {
 public:
  /// Computes the inverse lengths on `threads` threads, at least 1. Fails with bad_value, naming
  /// the row, for a value that is not finite, and with unsupported for 2^32 rows or more.
  static Result<CosineRows> create(MatrixView rows, int threads);

  std::size_t size() const noexcept { return rows_.rows(); }
  std::size_t dim() const noexcept { return rows_.cols(); }
  MatrixView view() const noexcept { return rows_; }
  std::span<const float> row(std::size_t i) const noexcept { return rows_.row(i); }
  /// Returns the distance 1 − cosine similarity, which has the same bits on every processor.
  const Distance& distance() const noexcept { return distance_; }
  /// Returns the rows from number `first` on, in the form that Distance takes.
  StoredRows stored(std::size_t first = 0) const noexcept;
  /// Returns 1 / length of a row; 0 for a row of zeros, NaN if float32 cannot hold the result.
  float inverse_norm(std::size_t row) const noexcept { return inverse_norms_[row]; }
  std::span<const float> inverse_norms() const noexcept { return inverse_norms_; }

 private:
  CosineRows(MatrixView rows, const Distance& distance)
      : rows_(rows), distance_(distance), inverse_norms_(rows.rows()) {}

  MatrixView rows_;
  Distance distance_;
  std::vector<float> inverse_norms_;
};

/// Stores row `i`, scaled to length 1, in `unit` [dim] in double precision; zeros for a row of
/// zeros.
void unit_row(std::span<const float> row, std::span<double> unit) noexcept;

/// Returns the dot product of two vectors of the same length. It uses four independent sums, so
/// that no addition has to wait for the addition before it.
inline double dot(std::span<const double> a, std::span<const double> b) noexcept {
  std::array<double, 4> sums = {};
  std::size_t i = 0;
  for (; i + sums.size() <= a.size(); i += sums.size())
    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace embd
