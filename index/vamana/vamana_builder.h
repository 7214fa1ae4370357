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
  /// Inner product and cosine: in (0, 1], the same with alpha times the similarity; cosine: only if
  /// its distance is 1.2 times smaller, too.
  float alpha = 1.2F;
  int threads = 1;
};

/// The rows of a graph. What a row could be linked to is searched for by the codes of all rows, if
/// there are any, and chosen from by the rows.
struct GraphRows {
  RowSpace space;
  const Codes* codes = nullptr;
};

/// The row nearest, by squared Euclidean distance, to the mean of all rows: where searches begin,
/// whatever the metric. Rows are plain elements (base/elements.h); at least one.
/// Only rows that `suits`, where there are any, are chosen.
std::uint32_t medoid(ElementType type, std::size_t dim, const StoredRows& rows,
                     std::size_t num_rows, const std::function<bool(std::size_t)>& suits);

/// Builds a Vamana graph (Subramanya et al., DiskANN, NeurIPS 2019) over the leaders of all
/// positions by placing them one after another (Singh et al., FreshDiskANN, 2021, algorithm 2);
/// followers are hung on them at the end. Rows are placed in a shuffled order, in batches against
/// the graph as the batch found it, and links are merged in the order of the rows, so the graph
/// depends on neither the threads nor their timing. Errors: out_of_memory, cancelled.
Result<Graph> build_graph(const GraphRows& rows, std::size_t num_rows, std::uint32_t entry,
                          const BuildOptions& options, const std::stop_token& stop);

/// Places rows [first, all) of a graph that has room for them in the same way.
/// Errors: out_of_memory, cancelled; the graph is then of no use.
Result<void> extend_graph(Graph& graph, const GraphRows& rows, std::size_t first,
                          std::uint32_t entry, const BuildOptions& options,
                          const std::stop_token& stop);

/// Links every row that stays to the neighbours of its removed ones instead of to them, or to a row
/// at the removed one's position. Edges of removed rows are left.
void bypass_removed(Graph& graph, const RowSpace& rows, const std::vector<bool>& removed,
                    const BuildOptions& options);

/// Makes a way from the entry lead to every row, but for those of `left_out`, [rows].
void connect(Graph& graph, const RowSpace& rows, std::uint32_t entry,
             const std::vector<bool>& left_out, const BuildOptions& options);

}  // namespace embd::vamana
