#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/cosine_rows.h"

namespace embd {

/// Two rows that are near one another. Ordered by rows.
struct NearPair {
  std::uint32_t row = 0;
  std::uint32_t other = 0;  ///< of the same set: an earlier row
  float distance = 0;       ///< 1 − cosine
  auto operator<=>(const NearPair&) const = default;
};

/// Rows of a set: those of `chosen`, ascending. Nothing here is owned.
struct ChosenRows {
  const CosineRows& rows;
  std::span<const std::uint32_t> chosen;
};

/// Takes pairs in their order, some at a time, from one thread.
using NearPairSink = std::function<Result<void>(std::span<const NearPair>)>;

/// Finds every pair of the chosen rows that are `most` apart or nearer, by comparing all pairs.
/// Memory does not grow with the pairs. The pairs and their bits are the same on any number of
/// threads. Errors: the sink's; cancelled.
Result<void> find_near_pairs(const ChosenRows& rows, float most, int threads,
                             const NearPairSink& sink, const std::stop_token& stop);

/// Finds every pair of a chosen row and any row of another set, `others`, that are `most` apart or
/// nearer. Both have rows of one dimension.
Result<void> find_near_pairs_between(const ChosenRows& rows, const CosineRows& others, float most,
                                     int threads, const NearPairSink& sink,
                                     const std::stop_token& stop);

}  // namespace embd
