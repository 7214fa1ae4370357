#pragma once

#include "embd/index.h"

namespace embd {

/// How much of the true nearest an index finds, measured.
struct Certificate {
  std::uint64_t queries = 0;
  std::uint32_t k = 10;
  std::uint32_t expansion = 64;  ///< Vamana: the window
  double recall = 1;             ///< share of the k nearest by exact search that the walk finds
  std::uint64_t unreached = 0;   ///< Index::num_unreached
};

/// Takes `num_queries` rows of the index at equal steps (all, if it has fewer) as queries and
/// compares the walk with exact search, the query's own row left out of both.
Result<Certificate> certify(const Index& index, std::uint64_t num_queries,
                            const SearchOptions& options = {});

}  // namespace embd
