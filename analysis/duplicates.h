#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/near_pairs.h"
#include "embd/dedupe.h"

namespace embd {

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

}  // namespace embd
