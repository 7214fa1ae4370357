#include "analysis/duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/disjoint_sets.h"
#include "analysis/equal_rows.h"
#include "analysis/indexed_pairs.h"
#include "base/guard.h"
#include "base/os/cpu.h"
#include "base/try.h"

namespace embd {
namespace {

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
  return fail(
      ErrorCode::invalid_argument,
      fmt::format(
          "the lengths of {} texts were given for {} rows, expected one length for each row",
          lengths.size(), num_rows));
}

NearPairSink into(std::vector<DuplicatePair>& pairs) {
  return [&pairs](std::span<const NearPair> some) -> Result<void> {
    for (const auto& [row, other, distance] : some) pairs.push_back({row, other, 1 - distance});
    return {};
  };
}

int thread_count(const DedupeOptions& options) noexcept {
  return options.threads > 0 ? options.threads : available_threads();
}

}  // namespace

Result<void> check_options(const DedupeOptions& options) {
  if (options.min_similarity >= -1 && options.min_similarity <= 1) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("min_similarity is {}, expected a cosine similarity from -1 to 1",
                          options.min_similarity));
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
                fmt::format("the rows of one set have {} values and the rows of the other set have "
                            "{}, expected vectors of one model",
                            rows.dim(), others.dim()));
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
    const CosineRows rows = EMBD_TRY(CosineRows::create(matrix, thread_count(options)));
    Duplicates duplicates;
    DuplicateGroups groups = EMBD_TRY(group_duplicates(
        rows, options, lengths, thread_count(options), into(duplicates.pairs), stop));
    duplicates.representatives = std::move(groups.representatives);
    duplicates.recall = groups.recall;
    return duplicates;
  });
}

Result<Leaks> find_leaks(MatrixView matrix, MatrixView others, const DedupeOptions& options,
                         std::stop_token stop) {
  return guarded([&]() -> Result<Leaks> {
    const CosineRows rows = EMBD_TRY(CosineRows::create(matrix, thread_count(options)));
    const CosineRows other_rows = EMBD_TRY(CosineRows::create(others, thread_count(options)));
    Leaks leaks;
    leaks.recall = EMBD_TRY(
        pair_sets(rows, other_rows, options, thread_count(options), into(leaks.pairs), stop));
    return leaks;
  });
}

}  // namespace embd
