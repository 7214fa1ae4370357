#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "embd/error.h"
#include "embd/matrix.h"
#include "index/distances/distance.h"

namespace embd {

/// Rows [n, dim] beside the inverses of their lengths: everything that cosines of two of them need.
/// The rows belong to somebody else and must stay in place. Immutable; any number of threads may
/// read at once.
class CosineRows {
 public:
  /// `threads`: at least 1. Errors: bad_value for a row with a value that is not finite, whose
  /// number the message has; unsupported for 2^32 rows and more.
  static Result<CosineRows> create(MatrixView rows, int threads);

  std::size_t size() const noexcept { return rows_.rows(); }
  std::size_t dim() const noexcept { return rows_.cols(); }
  MatrixView view() const noexcept { return rows_; }
  std::span<const float> row(std::size_t i) const noexcept { return rows_.row(i); }
  /// 1 − cosine, with the same bits on every processor.
  const Distance& distance() const noexcept { return distance_; }
  /// The rows from `first` on, as the functions of Distance take them.
  StoredRows stored(std::size_t first = 0) const noexcept;
  /// 1 / length; 0 for a row of zeros, NaN for one so long or short that float32 does not hold it.
  float inverse_norm(std::size_t row) const noexcept { return inverse_norms_[row]; }
  std::span<const float> inverse_norms() const noexcept { return inverse_norms_; }

 private:
  CosineRows(MatrixView rows, const Distance& distance)
      : rows_(rows), distance_(distance), inverse_norms_(rows.rows()) {}

  MatrixView rows_;
  Distance distance_;
  std::vector<float> inverse_norms_;
};

/// Returns row `i`, scaled to length 1, as `unit` [dim] in double precision; zeros for a row of
/// zeros.
void unit_row(std::span<const float> row, std::span<double> unit) noexcept;

}  // namespace embd
