#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "embd/reranker.h"

namespace embd {

/// Returns the pairs of a query with each of the documents, all of which must outlive the pairs.
std::vector<TextPair> pairs_of(std::string_view query, std::span<const std::string_view> documents);

/// Returns the best `k` of a query's documents in the order of Reranker::rank(). Their pairs are
/// the `count` ones from `first` in `scores`, which have one column; the index of a document is its
/// place among them.
std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t first, std::size_t count,
                                    std::size_t k);
/// The same of all pairs.
inline std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t k) {
  return best_of(scores, 0, scores.reports.size(), k);
}

}  // namespace embd
