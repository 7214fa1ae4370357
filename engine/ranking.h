#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "embd/reranker.h"

namespace embd {

/// Returns a pair of the query with each document. The query and the documents must outlive the
/// pairs.
std::vector<TextPair> pairs_of(std::string_view query, std::span<const std::string_view> documents);

/// Returns the best `k` documents of a query in the order of Reranker::rank(). `scores`, which must
/// have one column, has their pairs in the `count` rows from `first` on; the index of a document is
/// counted from `first`.
std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t first, std::size_t count,
                                    std::size_t k);
/// Returns the best `k` documents of all pairs in `scores`.
inline std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t k) {
  return best_of(scores, 0, scores.reports.size(), k);
}

}  // namespace embd
