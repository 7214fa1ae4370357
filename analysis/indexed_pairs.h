#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/near_pairs.h"
#include "embd/dedupe.h"

namespace embd {

/// Pairs that an index found, and how many of all these are.
struct IndexedPairs {
  std::vector<NearPair> pairs;  ///< sorted
  DuplicateRecall recall;
};

/// find_near_pairs() through a HNSW index over the chosen rows.
Result<IndexedPairs> indexed_pairs(const CosineRows& rows, std::span<const std::uint32_t> chosen,
                                   float most, int threads, const std::stop_token& stop);

/// find_near_pairs_between() for all rows through a HNSW index over the others.
Result<IndexedPairs> indexed_pairs_between(const CosineRows& rows, const CosineRows& others,
                                           float most, int threads, const std::stop_token& stop);

}  // namespace embd
