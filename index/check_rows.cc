#include "index/check_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace embd {
namespace {

/// The greatest squared length of a row. The distance of two such rows always fits float32.
constexpr double kMostSquares = 0x1p125;

/// The tolerance for the length of a normalized row. It is more than rounding to 16-bit floats
/// changes, and less than rounding to bytes does.
constexpr double kLengthTolerance = 0.01;

double sum_of_squares(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  return squares;
}

Result<void> check_lengths(MatrixView rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double squares = sum_of_squares(rows.row(i));
    if (squares > kMostSquares) {
      return fail(ErrorCode::bad_value,
                  fmt::format("row {} has the length {:.4g}, so its distances are too large for "
                              "float32, expected a length of at most {:.4g}",
                              i, std::sqrt(squares), std::sqrt(kMostSquares)));
    }
  }
  return {};
}

}  // namespace

Result<void> check_rows(MatrixView rows, Metric metric) {
  const auto values = rows.values();
  const auto bad = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); });
  if (bad != values.end()) {
    return fail(ErrorCode::bad_value,
                fmt::format("row {} contains the value {}, which has no distance to other values, "
                            "expected finite numbers",
                            static_cast<std::size_t>(bad - values.begin()) / rows.cols(), *bad));
  }
  if (metric == Metric::l2sq || metric == Metric::ip) return check_lengths(rows);
  return {};
}

bool loses_lengths(Metric metric, ElementType scalar) noexcept {
  return (scalar == ElementType::i8 || scalar == ElementType::u8) &&
         (metric == Metric::l2sq || metric == Metric::ip);
}

Result<void> check_kept_lengths(MatrixView rows, Metric metric, ElementType scalar,
                                std::uint64_t first_row) {
  if (!loses_lengths(metric, scalar)) return {};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double length = std::sqrt(sum_of_squares(rows.row(i)));
    if (std::abs(length - 1) <= kLengthTolerance) continue;
    return fail(ErrorCode::bad_value,
                fmt::format("row {} has the length {:.4g}, but elements of type {} store only the "
                            "direction of a row, so the metric {} needs rows of length 1 (within 1 "
                            "%): normalize the rows, or store them as f32, f16 or bf16",
                            first_row + i, length, element_name(scalar), metric_name(metric)));
  }
  return {};
}

}  // namespace embd
