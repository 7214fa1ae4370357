#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "embd/reranker.h"

namespace embd {

/// Returns the pairs of a query with each of the documents, all of which must outlive the pairs.
std::vector<TextPair> pairs_of(std::string_view query, std::span<const std::string_view> documents);

/// Returns the best `k` of a query's documents in the order of Reranker::rank(). `scores` are those
/// of their pairs and have one column.
std::vector<RankedDocument> best_of(const PairScores& scores, std::size_t k);

}  // namespace embd
