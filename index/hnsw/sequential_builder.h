#pragma once

#include "index/hnsw/walk.h"

namespace embd::hnsw {

/// Links the node `slot` by USearch's rules. The node is in the graph with a level, and has no
/// links, or the links of a removed row whose place it takes. The same rows, added in the same
/// order, give the graph that USearch builds on one thread.
void insert_sequentially(Graph& graph, const RowSpace& space, std::uint32_t slot,
                         std::uint32_t expansion, Scratch& scratch);

}  // namespace embd::hnsw
