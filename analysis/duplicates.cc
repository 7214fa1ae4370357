#include "analysis/near_pairs.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/disjoint_sets.h"
#include "base/parallel.h"
#include "base/try.h"
#include "embd/matrix.h"

namespace embd {
namespace {

/// The pairs that an index found, and an estimate of the share of all pairs that it found.
struct IndexedPairs {
  std::vector<NearPair> pairs;  ///< The pairs, sorted.
  DuplicateRecall recall;
};

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

/// Finds pairs as find_near_pairs() does, but through an HNSW index over the chosen rows.
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
/// Finds pairs as find_near_pairs_between() does for all rows, but through an HNSW index over
/// `others`.

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

std::string_view bytes_of_row(MatrixView rows, std::size_t row) {
  return {reinterpret_cast<const char*>(rows.row(row).data()), sizeof(float) * rows.cols()};
}

/// Returns, for each row, the first row with the same bytes. That is the row itself, unless it is a
/// copy of an earlier one.
std::vector<std::uint32_t> first_of_equal(MatrixView rows) {
  std::vector<std::pair<std::size_t, std::uint32_t>> hashed(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    hashed[row] = {std::hash<std::string_view>()(bytes_of_row(rows, row)),
                   static_cast<std::uint32_t>(row)};
  std::ranges::sort(hashed);
  std::vector<std::uint32_t> firsts(rows.rows());
  std::vector<std::uint32_t> different;  // Rows with one hash and different bytes.
  for (std::size_t i = 0; i < hashed.size(); ++i) {
    const auto [hash, row] = hashed[i];
    if (i == 0 || hashed[i - 1].first != hash) different.clear();
    const auto same = std::ranges::find_if(different, [&](std::uint32_t other) {
      return bytes_of_row(rows, other) == bytes_of_row(rows, row);
    });
    firsts[row] = same == different.end() ? row : *same;
    if (same == different.end()) different.push_back(row);
  }
  return firsts;
}

float most_apart(const DedupeOptions& options) noexcept {
  return static_cast<float>(1 - options.min_similarity);
}

/// Inserts the pair of each copy and the row that it is a copy of between other pairs, in the order
/// of rows.
class WithCopies {
 public:
  WithCopies(std::span<const std::uint32_t> firsts, const NearPairSink& sink)
      : firsts_(firsts), sink_(sink) {}

  Result<void> add(std::span<const NearPair> pairs) {
    std::vector<NearPair> all;
    for (const NearPair& pair : pairs) {
      take_copies_before(pair.row, all);
      all.push_back(pair);
    }
    return sink_(all);
  }
  Result<void> finish() {
    std::vector<NearPair> last;
    take_copies_before(static_cast<std::uint32_t>(firsts_.size()), last);
    return last.empty() ? Result<void>() : sink_(last);
  }

 private:
  void take_copies_before(std::uint32_t end, std::vector<NearPair>& pairs) {
    for (; next_ < end; ++next_)
      if (firsts_[next_] != next_) pairs.push_back({next_, firsts_[next_], 0});
  }

  std::span<const std::uint32_t> firsts_;
  const NearPairSink& sink_;
  std::uint32_t next_ = 0;
};

std::vector<std::uint32_t> rows_that_are_first(std::span<const std::uint32_t> firsts) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < firsts.size(); ++row)
    if (firsts[row] == row) rows.push_back(row);
  return rows;
}

/// Returns the row that is kept for each group, stored at the group's smallest row.
std::vector<std::uint64_t> chosen_rows(DisjointSets& groups, Keep keep, std::size_t num_rows,
                                       std::span<const std::uint64_t> lengths) {
  std::vector<std::uint64_t> chosen(num_rows);
  std::iota(chosen.begin(), chosen.end(), std::uint64_t{0});
  if (keep == Keep::first) return chosen;
  for (std::uint32_t row = 0; row < num_rows; ++row) {
    std::uint64_t& best = chosen[groups.find(row)];
    if (lengths[row] > lengths[best]) best = row;
  }
  return chosen;
}

Result<void> check_lengths(const DedupeOptions& options, std::size_t num_rows,
                           std::span<const std::uint64_t> lengths) {
  if (options.keep == Keep::first || lengths.size() == num_rows) return {};
  if (lengths.empty() && num_rows > 0)
    return fail(ErrorCode::invalid_argument,
                "the row with the longest text of each group is to be kept, but no texts were "
                "given: give the texts, or keep the first row");
  return fail(ErrorCode::invalid_argument,
              "the lengths of {} texts were given for {} rows, expected one length for each row",
              lengths.size(), num_rows);
}

NearPairSink into(std::vector<DuplicatePair>& pairs) {
  return [&pairs](std::span<const NearPair> some) -> Result<void> {
    for (const auto& [row, other, distance] : some) pairs.push_back({row, other, 1 - distance});
    return {};
  };
}

}  // namespace

Result<void> check_options(const DedupeOptions& options) {
  if (options.min_similarity >= -1 && options.min_similarity <= 1) return {};
  return fail(ErrorCode::invalid_argument,
              "min_similarity is {}, expected a cosine similarity from -1 to 1",
              options.min_similarity);
}

Result<DuplicateGroups> group_duplicates(const CosineRows& rows, const DedupeOptions& options,
                                         std::span<const std::uint64_t> lengths, int threads,
                                         const NearPairSink& sink, const std::stop_token& stop) {
  EMBD_TRY(check_options(options));
  EMBD_TRY(check_lengths(options, rows.size(), lengths));
  DuplicateGroups result;
  DisjointSets groups(rows.size());
  std::vector<bool> is_member(rows.size());
  const NearPairSink gather = [&](std::span<const NearPair> pairs) -> Result<void> {
    for (const NearPair& pair : pairs) {
      groups.unite(pair.row, pair.other);
      is_member[pair.row] = is_member[pair.other] = true;
    }
    result.num_pairs += pairs.size();
    return sink ? sink(pairs) : Result<void>();
  };
  const std::vector<std::uint32_t> firsts = first_of_equal(rows.view());
  const std::vector<std::uint32_t> distinct = rows_that_are_first(firsts);
  WithCopies pairs(firsts, gather);
  if (distinct.size() > options.exact_rows) {
    const IndexedPairs found =
        EMBD_TRY(indexed_pairs(rows, distinct, most_apart(options), threads, stop));
    result.recall = found.recall;
    EMBD_TRY(pairs.add(found.pairs));
  } else {
    EMBD_TRY(find_near_pairs(
        {rows, distinct}, most_apart(options), threads,
        [&](std::span<const NearPair> some) { return pairs.add(some); }, stop));
  }
  EMBD_TRY(pairs.finish());
  const auto chosen = chosen_rows(groups, options.keep, rows.size(), lengths);
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    result.representatives.push_back(chosen[groups.find(row)]);
    result.num_groups += is_member[row] && groups.find(row) == row ? 1U : 0U;
  }
  return result;
}

Result<std::optional<DuplicateRecall>> pair_sets(const CosineRows& rows, const CosineRows& others,
                                                 const DedupeOptions& options, int threads,
                                                 const NearPairSink& sink,
                                                 const std::stop_token& stop) {
  EMBD_TRY(check_options(options));
  if (rows.size() == 0 || others.size() == 0) return std::nullopt;
  if (rows.dim() != others.dim()) {
    return fail(ErrorCode::invalid_argument,
                "the rows of one set have {} values and the rows of the other set have {}, "
                "expected vectors of one model",
                rows.dim(), others.dim());
  }
  if (std::max(rows.size(), others.size()) > options.exact_rows) {
    const IndexedPairs found =
        EMBD_TRY(indexed_pairs_between(rows, others, most_apart(options), threads, stop));
    if (!found.pairs.empty()) EMBD_TRY(sink(found.pairs));
    return found.recall;
  }
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  EMBD_TRY(find_near_pairs_between({rows, all}, others, most_apart(options), threads, sink, stop));
  return std::nullopt;
}

std::uint64_t Duplicates::num_kept() const noexcept {
  std::uint64_t kept = 0;
  for (std::uint64_t row = 0; row < representatives.size(); ++row)
    kept += representatives[row] == row ? 1U : 0U;
  return kept;
}

Result<Duplicates> find_duplicates(MatrixView matrix, const DedupeOptions& options,
                                   std::span<const std::uint64_t> lengths, std::stop_token stop) {
  return guarded([&]() -> Result<Duplicates> {
    const CosineRows rows = EMBD_TRY(CosineRows::create(matrix, threads_for(options.threads)));
    Duplicates duplicates;
    DuplicateGroups groups = EMBD_TRY(group_duplicates(
        rows, options, lengths, threads_for(options.threads), into(duplicates.pairs), stop));
    duplicates.representatives = std::move(groups.representatives);
    duplicates.recall = groups.recall;
    return duplicates;
  });
}

Result<Leaks> find_leaks(MatrixView matrix, MatrixView others, const DedupeOptions& options,
                         std::stop_token stop) {
  return guarded([&]() -> Result<Leaks> {
    const CosineRows rows = EMBD_TRY(CosineRows::create(matrix, threads_for(options.threads)));
    const CosineRows other_rows =
        EMBD_TRY(CosineRows::create(others, threads_for(options.threads)));
    Leaks leaks;
    leaks.recall = EMBD_TRY(pair_sets(rows, other_rows, options, threads_for(options.threads),
                                      into(leaks.pairs), stop));
    return leaks;
  });
}

}  // namespace embd
