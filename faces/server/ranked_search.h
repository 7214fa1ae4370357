#pragma once

#include <memory>
#include <string>
#include <vector>

#include "faces/server/exchange.h"
#include "faces/server/search_answer.h"
#include "faces/server/served_index.h"

namespace embd::server {

class Service;

/// The rows that a search has found for the queries of a request. A reranker ranks them by their
/// texts.
struct FoundRows {
  const ServedIndex& index;
  std::vector<std::string> queries;
  std::size_t k;  ///< the number of rows that the answer has for each query
  std::vector<std::vector<RowHit>> hits = {};
};

/// Checks that the results of a search can be ranked. Refuses the request if there is no reranker,
/// if queries or rows have no texts, or if a query is too long for the reranker.
Answerable<void> check_ranked_search(const Service& service, const Call& call,
                                     const FoundRows& found);

/// Has the reranker score the text of each row with its query, and answers `call` with the best
/// rows, as `embd search --rerank` finds them. `usage` has the counts of the search, to which the
/// counts of the reranker are added. Fails as score_pairs() does.
Answerable<void> rank_found(Service& service, const Call& call,
                            std::shared_ptr<const FoundRows> found, QueryUsage usage);

}  // namespace embd::server
