#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/exchange.h"
#include "server/search_answer.h"
#include "server/served_index.h"

namespace embd::server {

class Service;

/// The rows that a search has found for the queries of a request, to be ranked by their texts.
struct FoundRows {
  const ServedIndex& index;
  std::vector<std::string> queries;
  std::size_t k;  ///< how many rows of each query the answer has
  std::vector<std::vector<RowHit>> hits = {};
};

/// Refuses a search that cannot be ranked: without a reranker, without texts of queries or rows,
/// and with a query that is too long for a reranker.
Answerable<void> check_ranked_search(const Service& service, const Call& call,
                                     const FoundRows& found);

/// Has the reranker score the text of each row for its query, and answers with the best rows, as
/// `embd search --rerank` finds them. `usage` is that of the search. Fails as score_pairs() does.
Answerable<void> rank_found(Service& service, const Call& call,
                            std::shared_ptr<const FoundRows> found, QueryUsage usage);

}  // namespace embd::server
