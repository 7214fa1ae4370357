#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/cosine_rows.h"
#include "embd/dedupe.h"

namespace embd {

/// A pair of rows that are near each other. Pairs are ordered by their rows.
struct NearPair {
  std::uint32_t row = 0;
  std::uint32_t other = 0;  ///< in pairs of a single set: an earlier row
  float distance = 0;       ///< 1 − cosine similarity
  auto operator<=>(const NearPair&) const = default;
};

/// The rule that decides which rows are a pair, for every search that computes distances: their
/// distance is at most `most`. Rows with the same bytes have the distance 0, whatever rounding
/// makes of it.
class NearRule {
 public:
  explicit NearRule(float most) noexcept : most_(most) {}
  /// Returns the greatest distance that may be computed for a pair.
  float reach() const noexcept;
  /// Returns the distance of two rows, given the distance that was computed; nullopt if they are no
  /// pair.
  std::optional<float> distance(std::span<const float> row, std::span<const float> other,
                                float computed) const noexcept;

 private:
  float most_;
};

/// A selection of the rows of a set: the rows whose numbers are in `chosen`, ascending. Both
/// members belong to the caller.
struct ChosenRows {
  const CosineRows& rows;
  std::span<const std::uint32_t> chosen;
};

/// A function that receives pairs in their order, some at a time. It is called by one thread.
using NearPairSink = std::function<Result<void>(std::span<const NearPair>)>;

/// Finds all pairs of chosen rows whose distance is at most `most`, by comparing every pair. Memory
/// does not grow with the number of pairs. The pairs and their bits do not depend on the number of
/// threads. Fails with the errors of the sink, and with cancelled.
Result<void> find_near_pairs(const ChosenRows& rows, float most, int threads,
                             const NearPairSink& sink, const std::stop_token& stop);

/// Finds all pairs of a chosen row and a row of another set, `others`, whose distance is at most
/// `most`. Both sets must have the same dimension. Fails as find_near_pairs() does.
Result<void> find_near_pairs_between(const ChosenRows& rows, const CosineRows& others, float most,
                                     int threads, const NearPairSink& sink,
                                     const std::stop_token& stop);

/// The groups of near-duplicates in a set of rows, without the pairs.
struct DuplicateGroups {
  std::vector<std::uint64_t> representatives;  ///< [rows], as in Duplicates
  std::uint64_t num_groups = 0;                ///< groups of two or more rows
  std::uint64_t num_pairs = 0;
  std::optional<DuplicateRecall> recall;
};

/// Finds near-duplicates as find_duplicates() of embd/dedupe.h does, but passes the pairs on to
/// `sink`, in order, instead of storing them. `threads` must be at least 1.
Result<DuplicateGroups> group_duplicates(const CosineRows& rows, const DedupeOptions& options,
                                         std::span<const std::uint64_t> lengths, int threads,
                                         const NearPairSink& sink, const std::stop_token& stop);

/// Finds pairs between two sets as find_leaks() of embd/dedupe.h does, but passes them on to
/// `sink`, in order.
Result<std::optional<DuplicateRecall>> pair_sets(const CosineRows& rows, const CosineRows& others,
                                                 const DedupeOptions& options, int threads,
                                                 const NearPairSink& sink,
                                                 const std::stop_token& stop);

/// Fails with invalid_argument for options that are out of range.
Result<void> check_options(const DedupeOptions& options);

/// Returns an orthonormal basis of directions along which many rows are long, [directions, dim]. It
/// is found in a sample of the rows.
Matrix long_directions(const CosineRows& rows, std::size_t num_directions);

/// Short rows that stand for long ones and give upper bounds: the dot product of two short rows is
/// at least the cosine similarity of the rows that they stand for. They rule out most pairs with a
/// sixth of the arithmetic or less.
///
/// A short row has the components of a unit row along some directions and, last, the length of the
/// remainder. By the inequality of Cauchy and Schwarz, the remainders of two rows add at most the
/// product of their lengths to the cosine. Rounding errors are allowed for, so no pair is ruled out
/// wrongly, whatever the directions and the processor.
class CosineBounds {
 public:
  /// The number of values in a short row.
  static constexpr std::size_t width = 64;

  /// Returns true if rows of `dim` values are so long that short rows save work.
  static bool suits(std::size_t dim) noexcept { return dim >= 3 * width; }
  /// Returns the largest amount by which rounding can make the dot product of two short rows too
  /// small.
  static float slack(std::size_t dim) noexcept;
  /// Makes the short rows of the rows in `chosen`. `directions` is [width − 1, dim].
  static Result<CosineBounds> create(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                     MatrixView directions, int threads);

  /// Returns the short rows from number `first` on, [n, width].
  const float* rows(std::size_t first) const noexcept { return rows_.data() + first * width; }

 private:
  CosineBounds() = default;
  std::vector<float> rows_;
};

}  // namespace embd
