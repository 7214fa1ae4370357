#pragma once

#include <functional>
#include <span>
#include <vector>

#include "embd/reranker.h"
#include "faces/server/exchange.h"

namespace embd::server {

class Service;

/// The scores of all pairs of a request.
struct Scored {
  PairScores pairs;
  std::uint64_t tokens = 0;              ///< the number of tokens of all pairs, after cutting
  std::vector<std::uint32_t> truncated;  ///< the numbers of the pairs that were cut
};

/// The pairs that a route has scored, and the function that makes its answer of the scores.
struct PairsRequest {
  std::vector<TextPair> pairs = {};  ///< views of texts that `finish` keeps alive
  ScoreOptions options = {};
  bool truncate = true;          ///< if false, a pair that is too long fails the request
  std::size_t answer_bytes = 0;  ///< the largest possible size of the answer
  std::function<Response(Scored&&)> finish = {};
};

/// Returns the reranker of the server. Refuses the request with not_this_model if there is none.
Answerable<const Reranker*> reranker_of(const Service& service, const Call& call);
/// Returns the reranker of the server if it can rank documents. Refuses the request with
/// not_this_model if there is none or if it has several labels.
Answerable<const Reranker*> ranker_of(const Service& service, const Call& call);

/// Returns a pair of the query and each document, as pairs_of() in engine/ranking.h makes them.
/// Refuses a query of more than 64 KiB with text_too_long, because it would be tokenized again for
/// each document.
Answerable<std::vector<TextPair>> checked_pairs_of(std::string_view query,
                                                   std::span<const std::string_view> documents);

/// Has the workers score pairs and answers `call` when they are done. Fails at once if the pairs
/// are refused or the queue is full.
Answerable<void> score_pairs(Service& service, const Call& call, PairsRequest request);

}  // namespace embd::server
