#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/cosine_rows.h"

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

}  // namespace embd
