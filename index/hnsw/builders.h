#pragma once

#include <stop_token>

#include "index/codes.h"
#include "index/hnsw/walk.h"

namespace embd::hnsw {

struct BuildOptions {
  std::uint32_t expansion;  ///< candidate list of the search for a new node's neighbours
  int threads;
};

/// Links the nodes `slots`, which are already in the graph with their levels. The links depend only
/// on the rows and their order (docs/decisions/008-reproducible-hnsw.md).
///
/// Leaders of positions are inserted in a shuffled order, in batches that grow with the graph. Each
/// row of a batch looks for neighbours in the graph as it was before the batch. Then the links back
/// are sorted by the node that they belong to, and each node takes its new links in that order.
/// Followers are added to the chains of their leaders at the end. Fails with out_of_memory and
/// cancelled; the graph must not be used after that.
Result<void> insert_in_batches(Graph& graph, const RowSpace& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop);
/// Links nodes in the same way, but compares neighbours by their codes.
Result<void> insert_in_batches(Graph& graph, const RowSpace& rows, const Codes& space,
                               std::span<const std::uint32_t> slots, const BuildOptions& options,
                               const std::stop_token& stop);

/// Replaces links to nodes that are `gone` [slots] by links to where those nodes lead, and removes
/// their own links. Another node becomes the entry; if all nodes are gone, the graph has no entry.
/// Fails with out_of_memory.
Result<void> bypass(Graph& graph, const RowSpace& space, const std::vector<bool>& gone,
                    int threads);

/// Adds links so that every node can be reached from the entry, except for nodes of `left_out`
/// [slots].
void connect(Graph& graph, const RowSpace& space, const std::vector<bool>& left_out,
             std::uint32_t expansion);

/// Links the node `slot` by USearch's rules. The node is in the graph with a level, and has no
/// links, or the links of a removed row whose place it takes. The same rows, added in the same
/// order, give the graph that USearch builds on one thread.
void insert_sequentially(Graph& graph, const RowSpace& space, std::uint32_t slot,
                         std::uint32_t expansion, Scratch& scratch);

}  // namespace embd::hnsw
