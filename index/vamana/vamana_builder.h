#pragma once

#include <functional>
#include <stop_token>

#include "index/vamana/vamana_search.h"

namespace embd::vamana {

struct BuildOptions {
  std::size_t max_degree = 64;
  std::size_t prune_to = 60;         ///< neighbours left when a full vertex is pruned
  std::size_t window = 128;          ///< of the search for a new vertex's neighbours
  std::size_t max_candidates = 384;  ///< nearest ones that pruning looks at
  /// l2sq: ≥ 1, a candidate goes if a kept one is alpha times nearer to it than the vertex is.
  /// Inner product and cosine: in (0, 1], the same with alpha times the similarity.
  float alpha = 1.2F;
  int threads = 1;
  /// Of all rows, if there are any: they change no graph.
  const Codes* codes = nullptr;
};

/// The row nearest, by squared Euclidean distance, to the mean of all rows: where searches begin,
/// whatever the metric. Rows are plain elements (base/elements.h); at least one.
/// Only rows that `suits`, where there are any, are chosen.
std::uint32_t medoid(ElementType type, std::size_t dim, const StoredRows& rows,
                     std::size_t num_rows, const std::function<bool(std::size_t)>& suits);

/// Builds a Vamana graph (Subramanya et al., DiskANN, NeurIPS 2019) over the leaders of all
/// positions, in two passes, the first with alpha 1; followers are hung on them at the end. Rows
/// are placed in a shuffled order, in batches against the graph as the batch found it, and links
/// are merged in the order of the rows, so the graph depends on neither the threads nor their
/// timing. Errors: out_of_memory, cancelled.
Result<Graph> build_graph(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
                          std::uint32_t entry, const BuildOptions& options,
                          const std::stop_token& stop);

/// Places rows [first, all) of a graph that has room for them, in one pass, else as above.
/// Errors: out_of_memory; the graph is then of no use.
Result<void> extend_graph(Graph& graph, const Distance& distance, const StoredRows& rows,
                          std::size_t first, std::uint32_t entry, const BuildOptions& options);

/// Links every row that stays to the neighbours of its removed ones instead of to them, or to a row
/// at the removed one's position. Edges of removed rows are left.
void bypass_removed(Graph& graph, const Distance& distance, const StoredRows& rows,
                    const std::vector<bool>& removed, const BuildOptions& options);

/// Makes a way from the entry lead to every row, but for those of `left_out`, [rows].
void connect(Graph& graph, const Distance& distance, const StoredRows& rows, std::uint32_t entry,
             const std::vector<bool>& left_out, const BuildOptions& options);

}  // namespace embd::vamana
