#include "analysis/cosine_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/blocks.h"
#include "base/try.h"
#include "index/check_rows.h"

namespace embd {

Result<CosineRows> CosineRows::create(MatrixView rows, int threads) {
  if (rows.rows() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(
        ErrorCode::unsupported,
        "there are {} rows, too many to compare each row with all others, expected at most {}",
        rows.rows(), std::numeric_limits<std::uint32_t>::max());
  }
  EMBD_TRY(check_rows(rows, Metric::cos));
  const std::size_t dim = rows.rows() == 0 ? std::max<std::size_t>(1, rows.cols()) : rows.cols();
  CosineRows made(rows, EMBD_TRY(Distance::create(Metric::cos, ElementType::f32, dim)));
  const StoredRows stored = made.stored();
  EMBD_TRY(for_blocks(rows.rows(), threads, [&](Block block) -> Result<void> {
    for (std::size_t i = block.first; i < block.end; ++i)
      made.inverse_norms_[i] = made.distance_.inverse_norm(stored.row(i));
    return {};
  }));
  return made;
}

StoredRows CosineRows::stored(std::size_t first) const noexcept {
  return {reinterpret_cast<const std::byte*>(rows_.data() + first * rows_.cols()),
          sizeof(float) * rows_.cols(), inverse_norms_.data() + first};
}

void unit_row(std::span<const float> row, std::span<double> unit) noexcept {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * static_cast<double>(value);
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (std::size_t i = 0; i < row.size(); ++i) unit[i] = static_cast<double>(row[i]) * scale;
}

}  // namespace embd
