#include "index/check_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/try.h"

namespace embd {
namespace {

/// Rows of this length at most have distances that float32 holds, whatever the two.
constexpr double kMostSquares = 0x1p125;

Result<void> check_lengths(MatrixView rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    double squares = 0;
    for (const float value : rows.row(i)) {
      squares += static_cast<double>(value) * static_cast<double>(value);
    }
    if (squares > kMostSquares) {
      return fail(ErrorCode::bad_value,
                  fmt::format("row {} is {:.4g} long; its distances are too large for float32, "
                              "expected at most {:.4g}",
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
                fmt::format("row {} holds {}, which has no distance to anything",
                            static_cast<std::size_t>(bad - values.begin()) / rows.cols(), *bad));
  }
  if (metric == Metric::l2sq || metric == Metric::ip) return check_lengths(rows);
  return {};
}

}  // namespace embd
