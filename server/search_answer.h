#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/reranker.h"
#include "embd/searcher.h"
#include "server/message.h"
#include "server/served_index.h"

namespace embd::server {

/// A row that a search found, and what a reranker made of it.
struct AnsweredHit {
  RowHit row;
  std::optional<RankedDocument> ranked = {};
};

/// Appends a hit as a JSON object.
void append_hit(const ServedIndex& index, const AnsweredHit& hit, std::string& out);

/// The part of an answer of /search about the queries' texts.
struct QueryUsage {
  std::uint64_t tokens = 0;              ///< of all texts, after cuts
  std::vector<std::uint32_t> truncated;  ///< places of queries that were cut
};

/// Returns the answer of a route that says something of each query, such as /search. `results`: the
/// JSON of each query's, several a part, commas between them.
Response search_answer(const std::string& index, std::vector<std::string> results,
                       const QueryUsage& usage);

}  // namespace embd::server
