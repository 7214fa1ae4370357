#include "analysis/kmeans_start.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/blocks.h"
#include "base/stopped.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t rows_of_block = 1024;

/// The distance of each row from the nearest center so far, and the sums over blocks of rows.
class Nearness {
 public:
  explicit Nearness(std::size_t num_rows)
      : distances_(num_rows, std::numeric_limits<float>::max()),
        sums_((num_rows + rows_of_block - 1) / rows_of_block) {}

  /// Draws a row with a probability in proportion to its distance. If all distances are 0, draws
  /// any row.
  std::uint32_t draw(Random& random) const {
    const double total = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    if (!(total > 0)) return static_cast<std::uint32_t>(random.below(distances_.size()));
    double left = random.real() * total;
    std::size_t block = 0;
    while (block + 1 < sums_.size() && left >= sums_[block]) left -= sums_[block++];
    const std::size_t end = std::min(distances_.size(), (block + 1) * rows_of_block);
    std::size_t row = block * rows_of_block;
    for (; row + 1 < end && left >= static_cast<double>(distances_[row]); ++row)
      left -= static_cast<double>(distances_[row]);
    return static_cast<std::uint32_t>(row);
  }

  /// Adds the best of the drawn rows as the next center: the row that leaves the smallest sum of
  /// distances.
  Result<std::uint32_t> add_best_of(const CosineRows& rows, std::span<const std::uint32_t> drawn,
                                    int threads) {
    Matrix candidates(drawn.size(), rows.dim());
    for (std::size_t c = 0; c < drawn.size(); ++c)
      std::ranges::copy(rows.row(drawn[c]), candidates.row(c).begin());
    const CosineRows centers = EMBD_TRY(CosineRows::create(candidates, 1));
    const std::size_t count = drawn.size();
    std::vector<float> nearer(rows.size() * count);
    std::vector<double> sums(sums_.size() * count);
    EMBD_TRY(for_blocks(
        rows.size(), threads,
        [&](Block block) -> Result<void> {
          float* line = nearer.data() + block.first * count;
          rows.distance().tile(rows.stored(block.first), block.size(), centers.stored(), 0, count,
                               {line, count});
          double* sum = sums.data() + block.first / rows_of_block * count;
          for (std::size_t row = block.first; row < block.end; ++row, line += count) {
            for (std::size_t c = 0; c < count; ++c) {
              line[c] = std::min(line[c], distances_[row]);
              sum[c] += static_cast<double>(line[c]);
            }
          }
          return {};
        },
        rows_of_block));
    std::vector<double> totals(count);
    for (std::size_t i = 0; i < sums.size(); ++i) totals[i % count] += sums[i];
    const auto best = static_cast<std::size_t>(std::ranges::min_element(totals) - totals.begin());
    for (std::size_t row = 0; row < rows.size(); ++row)
      distances_[row] = nearer[row * count + best];
    for (std::size_t block = 0; block < sums_.size(); ++block)
      sums_[block] = sums[block * count + best];
    return drawn[best];
  }

 private:
  std::vector<float> distances_;  // [rows]
  std::vector<double> sums_;      // [blocks of rows]
};

}  // namespace

Result<Matrix> draw_centers(const CosineRows& rows, std::uint32_t k, Random& random, int threads,
                            const std::stop_token& stop) {
  const auto tries = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k)));
  Nearness nearness(rows.size());
  Matrix centers(k, rows.dim());
  for (std::uint32_t c = 0; c < k; ++c) {
    if (stop.stop_requested()) return fail_stopped();
    std::vector<std::uint32_t> drawn;
    if (c == 0) {
      drawn.push_back(static_cast<std::uint32_t>(random.below(rows.size())));
    } else {
      for (std::size_t i = 0; i < tries; ++i) drawn.push_back(nearness.draw(random));
    }
    const std::uint32_t best = EMBD_TRY(nearness.add_best_of(rows, drawn, threads));
    std::ranges::copy(rows.row(best), centers.row(c).begin());
  }
  return centers;
}

}  // namespace embd
