#include "index/check_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/elements.h"
#include "base/os/cpu.h"
#include "base/parallel.h"
#include "base/try.h"

namespace embd {
namespace {

/// The greatest squared length of a row. The distance of two such rows always fits float32.
constexpr double kMostSquares = 0x1p125;

/// The tolerance for the length of a normalized row. It is more than rounding to 16-bit floats
/// changes, and less than rounding to bytes does.
constexpr double kLengthTolerance = 0.01;

/// The number of values that a thread takes at a time.
constexpr std::size_t kBlockValues = std::size_t{1} << 18;

/// Returns the greatest magnitude of the values; infinity or NaN if there is one. Magnitudes are
/// compared as the integers of their bits, which have the same order, several at a time.
Result<float> greatest_magnitude(std::span<const float> values) {
  std::vector<std::int32_t> greatest((values.size() + kBlockValues - 1) / kBlockValues);
  const int threads = greatest.size() > 1 ? available_threads() : 1;
  EMBD_TRY(parallel_for(greatest.size(), threads, [&](std::size_t i) -> Result<void> {
    const auto from = values.subspan(i * kBlockValues);
    std::int32_t of_block = 0;
    for (const float value : from.first(std::min(kBlockValues, from.size())))
      of_block = std::max(of_block, std::bit_cast<std::int32_t>(value) & 0x7fffffff);
    greatest[i] = of_block;
    return {};
  }));
  return std::bit_cast<float>(greatest.empty() ? 0 : std::ranges::max(greatest));
}

double sum_of_squares(std::span<const float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  return squares;
}

Result<void> check_lengths(MatrixView rows, std::uint64_t first_row) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double squares = sum_of_squares(rows.row(i));
    if (squares > kMostSquares) {
      return fail(ErrorCode::bad_value,
                  "row {} has the length {:.4g}, so its distances are too large for float32, "
                  "expected a length of at most {:.4g}",
                  first_row + i, std::sqrt(squares), std::sqrt(kMostSquares));
    }
  }
  return {};
}

}  // namespace

Result<void> check_rows(MatrixView rows, Metric metric, std::uint64_t first_row) {
  const auto values = rows.values();
  const double greatest = EMBD_TRY(greatest_magnitude(values));
  if (!std::isfinite(greatest)) {
    const auto bad = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); });
    return fail(ErrorCode::bad_value,
                "row {} contains the value {}, which has no distance to other values, expected "
                "finite numbers",
                first_row + static_cast<std::uint64_t>(bad - values.begin()) / rows.cols(), *bad);
  }
  if (metric != Metric::l2sq && metric != Metric::ip) return {};
  // Only where it could be too large is the length of each row computed: the factor is for
  // rounding.
  const double most_squares = greatest * greatest * static_cast<double>(rows.cols());
  return 2 * most_squares <= kMostSquares ? Result<void>() : check_lengths(rows, first_row);
}

Result<void> check_range(ElementType type, MatrixView rows) {
  const float limit = first_infinite(type);
  const auto values = rows.values();
  const auto bad = std::ranges::find_if(values, [&](float v) { return std::fabs(v) >= limit; });
  if (bad == values.end()) return {};
  return fail(
      ErrorCode::bad_value,
      "row {} contains the value {}, expected an absolute value below {} in an index of type {}",
      static_cast<std::size_t>(bad - values.begin()) / rows.cols(), *bad, limit,
      element_name(type));
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
                "row {} has the length {:.4g}, but elements of type {} store only the direction of "
                "a row, so the metric {} needs rows of length 1 (within 1 %): normalize the rows, "
                "or store them as f32, f16 or bf16",
                first_row + i, length, element_name(scalar), metric_name(metric));
  }
  return {};
}

}  // namespace embd
