#pragma once

#include "embd/index.h"

namespace embd {

/// A measurement of how many of the true nearest neighbours an index finds.
struct Certificate {
  std::uint64_t queries = 0;
  std::uint32_t k = 10;
  std::uint32_t expansion = 64;  ///< candidate list; for Vamana, the window
  /// The share of the k nearest rows, found by exact search, that a search of the graph finds as
  /// well.
  double recall = 1;
  std::uint64_t unreached = 0;  ///< the result of Index::num_unreached()
};

/// Measures the recall of an index. Takes `num_queries` rows at equal steps (all, if there are
/// fewer) as queries, and compares the search of the graph with an exact search. The query's own
/// row is left out of both.
Result<Certificate> certify(const Index& index, std::uint64_t num_queries,
                            const SearchOptions& options = {});

}  // namespace embd
