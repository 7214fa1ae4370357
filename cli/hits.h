#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embd/searcher.h"

namespace embd::cli {

struct HitOptions {
  const std::vector<std::string>& queries;  ///< as the table says them; empty for vectors
  const RowTexts& texts;                    ///< of the rows that were found, or none
  bool json = false;
};

/// Prints a table for people on a terminal: rank, similarity or distance, id, text; JSON Lines
/// everywhere else, or if that is said: {"query":0,"hits":[{"id":…,"distance":…}]}.
Result<void> print_hits(const RowHits& hits, const Searcher& searcher, const HitOptions& options);

/// "hnsw", "vamana", or "none" for vectors without an index.
std::string_view kind_of_index(const Searcher& searcher);

}  // namespace embd::cli
