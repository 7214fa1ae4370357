#pragma once

#include <functional>
#include <span>
#include <vector>

#include "embd/reranker.h"
#include "server/exchange.h"

namespace embd::server {

class Service;

/// The scores of a request's pairs, when all are there.
struct Scored {
  PairScores pairs;
  std::uint64_t tokens = 0;              ///< of all pairs, after cuts
  std::vector<std::uint32_t> truncated;  ///< places of pairs that were cut
};

/// The pairs that a route wants scored, and how it answers with their scores.
struct PairsRequest {
  std::vector<TextPair> pairs = {};  ///< of texts that `finish` keeps
  ScoreOptions options = {};
  bool truncate = true;          ///< else a pair that is too long fails the request
  std::size_t answer_bytes = 0;  ///< at most
  std::function<Response(Scored&&)> finish = {};
};

/// The reranker that is served. Fails where there is none.
Answerable<const Reranker*> reranker_of(const Service& service, const Call& call);
/// That reranker, if it can rank: it has a single label.
Answerable<const Reranker*> ranker_of(const Service& service, const Call& call);

/// As pairs_of() of engine/ranking.h. Refuses a query so long that it would be tokenized anew for
/// each document.
Answerable<std::vector<TextPair>> checked_pairs_of(std::string_view query,
                                                   std::span<const std::string_view> documents);

/// Has the workers score pairs; the answer goes to `call`. Fails at once where the pairs are
/// refused or the queue is full.
Answerable<void> score_pairs(Service& service, const Call& call, PairsRequest request);

}  // namespace embd::server
