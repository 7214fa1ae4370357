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

/// What a route wants to know of pairs, and what it makes of it.
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

/// Pairs of a query with each of the documents, which must outlive them. Refuses a query that would
/// have to become tokens for each document anew.
Answerable<std::vector<TextPair>> pairs_of(std::string_view query,
                                           std::span<const std::string_view> documents);

/// Has the workers score pairs; the answer goes to `call`. Fails at once where the pairs are
/// refused or the queue is full.
Answerable<void> score_pairs(Service& service, const Call& call, PairsRequest request);

}  // namespace embd::server
