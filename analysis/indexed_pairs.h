#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/near_pairs.h"
#include "embd/dedupe.h"

namespace embd {

/// The pairs that an index found, and an estimate of the share of all pairs that it found.
struct IndexedPairs {
  std::vector<NearPair> pairs;  ///< The pairs, sorted.
  DuplicateRecall recall;
};

/// Finds pairs as find_near_pairs() does, but through an HNSW index over the chosen rows.
Result<IndexedPairs> indexed_pairs(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                   float most, int threads, const std::stop_token& stop);

/// Finds pairs as find_near_pairs_between() does for all rows, but through an HNSW index over
/// `others`.
Result<IndexedPairs> indexed_pairs_between(const CosineRows& rows, const CosineRows& others,
                                           float most, int threads, const std::stop_token& stop);

}  // namespace embd
