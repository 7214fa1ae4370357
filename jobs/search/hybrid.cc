#include "jobs/search/hybrid.h"

#include <cmath>
#include <limits>
#include <utility>

#include "base/try.h"

namespace embd {
namespace {

constexpr double weight_of_vectors = 0.6;
constexpr double weight_of_terms = 0.4;

/// Scales values linearly, so that the least of those that were added becomes 0, and the greatest
/// becomes 1.
class Scale {
 public:
  void add(float value) {
    if (!std::isfinite(value)) return;
    least_ = std::min(least_, double{value});
    greatest_ = std::max(greatest_, double{value});
  }
  double operator()(float value) const {
    if (!std::isfinite(value) || greatest_ <= least_) return 0;
    return (value - least_) / (greatest_ - least_);
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<FusedRow> fuse_rows(std::vector<FusedRow> rows, std::size_t k) {
  Scale vectors;
  Scale terms;
  for (const FusedRow& row : rows) {
    vectors.add(-row.distance);
    terms.add(row.term_score);
  }
  // The order is that of the exact scores: rounded ones could be equal where distances differ.
  std::vector<std::pair<double, FusedRow>> scored;
  for (const FusedRow& row : rows) {
    const double score =
        weight_of_vectors * vectors(-row.distance) + weight_of_terms * terms(row.term_score);
    scored.emplace_back(score, row);
  }
  std::ranges::sort(scored, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.row < b.second.row;
  });
  rows.resize(std::min(rows.size(), k));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = scored[i].second;
    rows[i].score = static_cast<float>(scored[i].first);
  }
  return rows;
}

Result<std::vector<FusedRow>> fuse_hits(const std::vector<RowHit>& nearest,
                                        const std::vector<TermHit>& best,
                                        const CandidateNumbers& numbers, std::size_t k) {
  std::vector<FusedRow> rows;
  for (const RowHit& hit : nearest) rows.push_back({.row = hit.row, .distance = hit.distance});
  std::ranges::sort(rows, {}, &FusedRow::row);
  std::vector<std::uint64_t> others;  // that only the terms have found
  for (const TermHit& hit : best)
    if (!std::ranges::binary_search(rows, hit.row, {}, &FusedRow::row)) others.push_back(hit.row);
  std::ranges::sort(others);
  for (const std::uint64_t row : others)
    rows.push_back({.row = row, .distance = std::numeric_limits<float>::infinity()});
  std::ranges::sort(rows, {}, &FusedRow::row);
  if (!others.empty()) {
    for (const RowHit& hit : EMBD_TRY(numbers.distances(others)))
      std::ranges::lower_bound(rows, hit.row, {}, &FusedRow::row)->distance = hit.distance;
  }

  std::vector<std::uint64_t> all;
  for (const FusedRow& row : rows) all.push_back(row.row);
  const std::vector<float> scores = EMBD_TRY(numbers.term_scores(all));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].term_score = scores[i];
  return fuse_rows(std::move(rows), k);
}

}  // namespace embd
