#include "analysis/indexed_pairs.h"

#include <algorithm>
#include <numeric>

#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t searched_at_once = 4096;
/// The number of rows that are requested first. If all of them are near, four times as many are
/// requested.
constexpr std::size_t first_k = 16;
/// The number of rows for which all pairs are compared, to estimate how many the index misses.
constexpr std::size_t recall_sample = 1000;

class PairIndex {
 public:
  static Result<PairIndex> build(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                 int threads, const std::stop_token& stop) {
    const IndexOptions options = {.metric = Metric::cos, .threads = threads};
    if (chosen.size() == rows.size())
      return PairIndex(EMBD_TRY(Index::build(rows.view(), {}, options, stop)), chosen.size());
    Matrix packed(chosen.size(), rows.dim());
    for (std::size_t i = 0; i < chosen.size(); ++i)
      std::ranges::copy(rows.row(chosen[i]), packed.row(i).begin());
    const std::vector<std::uint64_t> ids(chosen.begin(), chosen.end());
    return PairIndex(EMBD_TRY(Index::build(packed, ids, options, stop)), chosen.size());
  }

  /// Calls function(row, other, distance) for all rows that the index finds near each of `queries`.
  /// `others` are the rows of which some are in the index.
  template <class Function>
  Result<void> find(const CosineRows& rows, std::span<const std::uint32_t> queries,
                    const CosineRows& others, float most, int threads, const std::stop_token& stop,
                    const Function& function) const {
    const NearRule rule(most);
    std::vector<std::uint32_t> left(queries.begin(), queries.end());
    for (std::size_t k = first_k; !left.empty(); k *= 4) {
      const std::size_t asked = std::min(k, num_rows_);
      std::vector<std::uint32_t> full;  // Rows that may have more than k near rows.
      EMBD_TRY(search(
          rows, left, asked, threads, stop, [&](std::uint32_t row, const std::vector<Hit>& hits) {
            const bool may_be_more =
                hits.size() == asked && asked < num_rows_ && hits.back().distance <= rule.reach();
            if (may_be_more) {
              full.push_back(row);
              return;
            }
            for (const Hit& hit : hits) {
              const auto other = static_cast<std::uint32_t>(hit.id);
              if (const auto distance =
                      rule.distance(rows.row(row), others.row(other), hit.distance))
                function(row, other, *distance);
            }
          }));
      left = std::move(full);
    }
    return {};
  }

 private:
  PairIndex(Index index, std::size_t num_rows) : index_(std::move(index)), num_rows_(num_rows) {}

  template <class Function>
  Result<void> search(const CosineRows& rows, std::span<const std::uint32_t> queries, std::size_t k,
                      int threads, const std::stop_token& stop, const Function& function) const {
    const SearchOptions options = {
        .expansion = static_cast<std::uint32_t>(std::max<std::size_t>(64, 2 * k)),
        .threads = threads};
    for (std::size_t first = 0; first < queries.size(); first += searched_at_once) {
      const auto some = queries.subspan(first, std::min(searched_at_once, queries.size() - first));
      Matrix packed(some.size(), rows.dim());
      for (std::size_t i = 0; i < some.size(); ++i)
        std::ranges::copy(rows.row(some[i]), packed.row(i).begin());
      const auto found = EMBD_TRY(index_.search(packed, k, options, stop));
      for (std::size_t i = 0; i < some.size(); ++i) function(some[i], found[i]);
    }
    return {};
  }

  Index index_;
  std::size_t num_rows_;
};

void sort_once(std::vector<NearPair>& pairs) {
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
}

/// Returns some of the rows, at equal steps.
std::vector<std::uint32_t> sample_of(std::span<const std::uint32_t> rows) {
  const std::size_t count = std::min(recall_sample, rows.size());
  std::vector<std::uint32_t> sample;
  for (std::size_t i = 0; i < count; ++i) sample.push_back(rows[i * rows.size() / count]);
  return sample;
}

/// Counts how many of the exact pairs are among the found ones.
DuplicateRecall recall_of(std::vector<NearPair> exact, std::span<const NearPair> found,
                          std::size_t num_rows) {
  sort_once(exact);
  DuplicateRecall recall = {.rows = num_rows, .pairs = exact.size()};
  for (const NearPair& pair : exact)
    recall.found += std::ranges::binary_search(found, pair) ? 1U : 0U;
  return recall;
}

NearPairSink into(std::vector<NearPair>& pairs) {
  return [&pairs](std::span<const NearPair> some) -> Result<void> {
    pairs.insert(pairs.end(), some.begin(), some.end());
    return {};
  };
}

}  // namespace

Result<IndexedPairs> indexed_pairs(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                   float most, int threads, const std::stop_token& stop) {
  IndexedPairs found;
  const PairIndex index = EMBD_TRY(PairIndex::build(rows, chosen, threads, stop));
  EMBD_TRY(index.find(rows, chosen, rows, most, threads, stop,
                      [&](std::uint32_t row, std::uint32_t other, float distance) {
                        if (row != other)
                          found.pairs.push_back(
                              {std::max(row, other), std::min(row, other), distance});
                      }));
  sort_once(found.pairs);
  const std::vector<std::uint32_t> sample = sample_of(chosen);
  std::vector<NearPair> exact;
  EMBD_TRY(find_near_pairs_between({rows, sample}, rows, most, threads, into(exact), stop));
  std::vector<bool> is_chosen(rows.size());
  for (const std::uint32_t row : chosen) is_chosen[row] = true;
  std::erase_if(exact, [&](const NearPair& pair) {
    return pair.row == pair.other || !is_chosen[pair.other];
  });
  for (NearPair& pair : exact)
    if (pair.row < pair.other) std::swap(pair.row, pair.other);
  found.recall = recall_of(std::move(exact), found.pairs, sample.size());
  return found;
}

Result<IndexedPairs> indexed_pairs_between(const CosineRows& rows, const CosineRows& others,
                                           float most, int threads, const std::stop_token& stop) {
  IndexedPairs found;
  std::vector<std::uint32_t> queries(rows.size());
  std::vector<std::uint32_t> all(others.size());
  std::iota(queries.begin(), queries.end(), 0U);
  std::iota(all.begin(), all.end(), 0U);
  const PairIndex index = EMBD_TRY(PairIndex::build(others, all, threads, stop));
  EMBD_TRY(index.find(rows, queries, others, most, threads, stop,
                      [&](std::uint32_t row, std::uint32_t other, float distance) {
                        found.pairs.push_back({row, other, distance});
                      }));
  sort_once(found.pairs);
  const std::vector<std::uint32_t> sample = sample_of(queries);
  std::vector<NearPair> exact;
  EMBD_TRY(find_near_pairs_between({rows, sample}, others, most, threads, into(exact), stop));
  found.recall = recall_of(std::move(exact), found.pairs, sample.size());
  return found;
}

}  // namespace embd
