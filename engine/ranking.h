#pragma once

#include <cstddef>
#include <vector>

#include "embd/reranker.h"

namespace embd {

/// Returns the best `k` documents in the order of Reranker::rank().
std::vector<RankedDocument> best_of(std::vector<RankedDocument> documents, std::size_t k);

}  // namespace embd
