#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/reranker.h"
#include "embd/searcher.h"
#include "faces/server/message.h"
#include "faces/server/served_index.h"

namespace embd::server {

/// A row that a search has found, with its score if a reranker has ranked it.
struct AnsweredHit {
  RowHit row;
  std::optional<RankedDocument> ranked = {};
};

/// Appends a hit to `out` as a JSON object.
void append_hit(const ServedIndex& index, const AnsweredHit& hit, std::string& out);

/// Counts about the texts of the queries, for the answer of /search.
struct QueryUsage {
  std::uint64_t tokens = 0;              ///< the number of tokens of all texts, after cutting
  std::vector<std::uint32_t> truncated;  ///< the numbers of the queries that were cut
};

/// Returns the answer of a route that has a result for each query, such as /search. `results` has
/// the JSON objects of the results in order. A part may hold several objects with commas between
/// them.
Response search_answer(const std::string& index, std::vector<std::string> results,
                       const QueryUsage& usage);

}  // namespace embd::server
