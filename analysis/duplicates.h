#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/near_pairs.h"
#include "embd/dedupe.h"

namespace embd {

/// Puts rows that are near one another into groups, and hands each pair on.
struct DuplicateGroups {
  std::vector<std::uint64_t> representatives;  ///< [rows], as in Duplicates
  std::uint64_t num_groups = 0;                ///< of two rows and more
  std::uint64_t num_pairs = 0;
  std::optional<DuplicateRecall> recall;
};

/// find_duplicates() of embd/dedupe.h, whose pairs go to `sink` in their order instead of into
/// memory. `threads`: at least 1.
Result<DuplicateGroups> group_duplicates(const CosineRows& rows, const DedupeOptions& options,
                                         std::span<const std::uint64_t> lengths, int threads,
                                         const NearPairSink& sink, const std::stop_token& stop);

/// find_leaks() of embd/dedupe.h, whose pairs go to `sink` in their order.
Result<std::optional<DuplicateRecall>> pair_sets(const CosineRows& rows, const CosineRows& others,
                                                 const DedupeOptions& options, int threads,
                                                 const NearPairSink& sink,
                                                 const std::stop_token& stop);

/// Errors: invalid_argument for options that are out of range.
Result<void> check_options(const DedupeOptions& options);

}  // namespace embd
