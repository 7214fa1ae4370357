#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "embd/reranker.h"
#include "embd/searcher.h"
#include "faces/server/json_request.h"
#include "faces/server/message.h"
#include "faces/server/served_index.h"
#include "faces/server/service.h"
#include "faces/server/texts_work.h"

namespace embd::server {

/// Returns the index that a request names. A request need not name one if there is only one.
Answerable<const ServedIndex*> find_index(const Service& service,
                                          const std::optional<std::string>& name);

/// Refuses queries that are not texts, no texts at all, and empty texts.
Answerable<void> check_query_texts(const Inputs& texts);

/// The queries of a request that are texts, with the options for them.
struct QueryTexts {
  Inputs texts;
  std::optional<std::string> prompt_name;
  std::optional<bool> truncate;
};

/// Sets the texts, the model and the options of `request` so that it embeds the texts of `asked` as
/// queries of an index. Refuses empty texts, and all texts if no model of the server can make
/// queries for the index.
Answerable<void> set_query_texts(const ServedIndex& index, QueryTexts&& asked,
                                 TextsRequest& request);

/// A row that a search has found, with its score if a reranker has ranked it.
struct AnsweredHit {
  ServedHit row;
  std::optional<RankedDocument> ranked = {};
};

/// Appends a hit to `out` as a JSON object. `terms` are the terms of the query, which find the best
/// line of the row's text; null if the query has none.
void append_hit(const ServedIndex& index, const AnsweredHit& hit, const QueryTerms* terms,
                std::string& out);

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
