#pragma once

#include "index/hnsw/walk.h"

namespace embd::hnsw {

/// Links the node `slot`, which is in the graph with a level and without links (or with the links
/// of a removed row whose place it takes), by USearch's rules: the same rows added in the same
/// order give the graph that USearch builds on one thread.
void insert_sequentially(Graph& graph, const RowSpace& space, std::uint32_t slot,
                         std::uint32_t expansion, Scratch& scratch);

}  // namespace embd::hnsw
