#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "analysis/blocks.h"
#include "analysis/neighbour_graph.h"
#include "base/parallel.h"
#include "base/try.h"
#include "embd/neighbours.h"

namespace embd {
namespace {

/// Returns the rank of each value, from 0. Equal values have the mean of their ranks.
std::vector<double> ranks_of(std::span<const float> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i)
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    first = end;
  }
  return ranks;
}

/// Returns Spearman's rank correlation of two lists of the same length: Pearson's correlation of
/// their ranks, where equal values share the mean of their ranks. NaN for fewer than two values,
/// and if all values of a list are equal.
double rank_correlation(std::span<const float> a, std::span<const float> b) {
  const std::vector<double> ranks_a = ranks_of(a);
  const std::vector<double> ranks_b = ranks_of(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (ranks_a[i] - mean) * (ranks_b[i] - mean);
    aa += (ranks_a[i] - mean) * (ranks_a[i] - mean);
    bb += (ranks_b[i] - mean) * (ranks_b[i] - mean);
  }
  if (aa == 0 || bb == 0) return std::numeric_limits<double>::quiet_NaN();
  return ab / std::sqrt(aa * bb);
}

/// Returns the rows whose neighbours are compared.
std::vector<std::uint32_t> rows_to_compare(std::size_t num_rows, std::uint64_t sample) {
  const std::size_t count = sample == 0 ? num_rows : std::min<std::size_t>(sample, num_rows);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(static_cast<std::uint32_t>(i * num_rows / count));
  return rows;
}

std::vector<std::uint32_t> sorted(std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> copy(rows.begin(), rows.end());
  std::ranges::sort(copy);
  return copy;
}

std::vector<float> distances_to(const CosineRows& rows, std::uint32_t row,
                                std::span<const std::uint32_t> others) {
  std::vector<float> distances(others.size());
  rows.distance().gather(rows.distance().query(rows.stored(), row), rows.stored(), others,
                         distances.data());
  return distances;
}

RowAgreement agreement_about(std::uint32_t row, const CosineRows& a, const CosineRows& b,
                             std::span<const std::uint32_t> nearest_a,
                             std::span<const std::uint32_t> nearest_b) {
  const std::vector<std::uint32_t> of_a = sorted(nearest_a);
  const std::vector<std::uint32_t> of_b = sorted(nearest_b);
  std::vector<std::uint32_t> either;
  std::ranges::set_union(of_a, of_b, std::back_inserter(either));
  const std::size_t common = of_a.size() + of_b.size() - either.size();
  return {.row = row,
          .overlap = static_cast<float>(static_cast<double>(common) /
                                        static_cast<double>(std::max<std::size_t>(1, of_a.size()))),
          .rank_correlation = static_cast<float>(
              rank_correlation(distances_to(a, row, either), distances_to(b, row, either)))};
}

/// Sorts the rows by how much their neighbours changed, the greatest change first.
void sort_by_change(std::vector<RowAgreement>& rows) {
  const auto correlation = [](const RowAgreement& row) {
    return std::isnan(row.rank_correlation) ? 2.0F : row.rank_correlation;
  };
  std::ranges::sort(rows, [&](const RowAgreement& x, const RowAgreement& y) {
    if (x.overlap != y.overlap) return x.overlap < y.overlap;
    if (correlation(x) != correlation(y)) return correlation(x) < correlation(y);
    return x.row < y.row;
  });
}

void take_means(NeighbourAgreement& agreement) {
  double overlap = 0;
  double correlation = 0;
  std::size_t num_correlations = 0;
  for (const RowAgreement& row : agreement.rows) {
    overlap += static_cast<double>(row.overlap);
    if (std::isnan(row.rank_correlation)) continue;
    correlation += static_cast<double>(row.rank_correlation);
    ++num_correlations;
  }
  if (!agreement.rows.empty())
    agreement.overlap = overlap / static_cast<double>(agreement.rows.size());
  if (num_correlations > 0)
    agreement.rank_correlation = correlation / static_cast<double>(num_correlations);
}

}  // namespace

Result<NeighbourAgreement> compare_neighbours(MatrixView a, MatrixView b,
                                              const AgreementOptions& options,
                                              std::stop_token stop) {
  return guarded([&]() -> Result<NeighbourAgreement> {
    if (options.k == 0)
      return fail(ErrorCode::invalid_argument,
                  "k, the number of neighbours to compare, is 0, expected at least 1");
    if (a.rows() != b.rows())
      return fail(ErrorCode::invalid_argument,
                  "one set has {} rows and the other has {}, expected two sets of vectors of the "
                  "same texts",
                  a.rows(), b.rows());
    const int threads = threads_for(options.threads);
    const CosineRows rows_a = EMBD_TRY(CosineRows::create(a, threads));
    const CosineRows rows_b = EMBD_TRY(CosineRows::create(b, threads));
    const std::vector<std::uint32_t> rows = rows_to_compare(a.rows(), options.sample);
    const auto of_a = EMBD_TRY(exact_neighbours(rows_a, rows, options.k, threads, stop));
    const auto of_b = EMBD_TRY(exact_neighbours(rows_b, rows, options.k, threads, stop));
    NeighbourAgreement agreement = {.k = static_cast<std::uint32_t>(of_a.k), .rows = {}};
    if (of_a.k == 0) return agreement;
    agreement.rows.resize(rows.size());
    EMBD_TRY(for_blocks(rows.size(), threads, [&](Block block) -> Result<void> {
      for (std::size_t i = block.first; i < block.end; ++i)
        agreement.rows[i] =
            agreement_about(rows[i], rows_a, rows_b, of_a.rows_of(i), of_b.rows_of(i));
      return {};
    }));
    take_means(agreement);
    sort_by_change(agreement.rows);
    return agreement;
  });
}

}  // namespace embd
