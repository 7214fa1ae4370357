#pragma once

#include <stop_token>

#include "index/codes.h"
#include "index/hnsw/walk.h"
#include "index/positions.h"

namespace embd::hnsw {

struct BuildOptions {
  std::uint32_t expansion;  ///< candidates of the search for a new node's neighbours
  int threads;
};

/// Links `slots`, which are in the graph with their levels; the links depend
/// on the rows and their order only (docs/decisions/008-reproducible-hnsw.md).
///
/// Leaders of positions are taken in a shuffled order, in batches that grow with the graph. All
/// rows of a batch look for neighbours in the graph as it was before the batch, each by itself;
/// then the links back are sorted by the node they belong to, and each node takes its new ones in
/// that order. Followers are hung on their leaders at the end. Errors: out_of_memory, cancelled;
/// the graph is then of no use.
Result<void> insert_in_batches(Graph& graph, const RowSpace& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop);
/// The same with neighbours compared by their codes.
Result<void> insert_in_batches(Graph& graph, const RowSpace& rows, const Codes& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop);

/// Links every node to where its neighbours in `gone`, [slots], lead instead of to them, which lose
/// their links. The entry becomes another node; the graph has none where all are gone. Errors:
/// out_of_memory.
Result<void> bypass(Graph& graph, const RowSpace& space, const std::vector<bool>& gone,
                    int threads);

/// Makes a way from the entry lead to every node, but for those of `left_out`, [slots].
void connect(Graph& graph, const RowSpace& space, const std::vector<bool>& left_out,
             std::uint32_t expansion);

}  // namespace embd::hnsw
