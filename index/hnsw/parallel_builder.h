#pragma once

#include <stop_token>

#include "index/codes.h"
#include "index/hnsw/walk.h"

namespace embd::hnsw {

/// Links `slots`, which are in the graph with their levels, on `threads` threads; the links depend
/// on the rows and their order only (docs/decisions/ says how).
///
/// The slots are taken in batches that grow with the graph. All rows of a batch look for neighbours
/// in the graph as it was before the batch, each by itself; then the links back are sorted by the
/// node they belong to, and each node takes its new ones in that order. Errors: out_of_memory,
/// cancelled; the graph is then of no use.
Result<void> insert_in_batches(Graph& graph, const RowSpace& space,
                               std::span<const std::uint32_t> slots, std::uint32_t expansion,
                               int threads, const std::stop_token& stop);
Result<void> insert_in_batches(Graph& graph, const Codes& space,
                               std::span<const std::uint32_t> slots, std::uint32_t expansion,
                               int threads, const std::stop_token& stop);

}  // namespace embd::hnsw
