#pragma once

#include <functional>
#include <stop_token>

#include "index/vamana/vamana_search.h"

namespace embd::vamana {

struct BuildOptions {
  std::size_t max_degree = 64;
  std::size_t prune_to = 60;         ///< links that are left when a full vertex is pruned
  std::size_t window = 128;          ///< candidate list of the search for a new vertex's links
  std::size_t max_candidates = 384;  ///< nearest candidates that pruning considers
  /// For l2sq at least 1: a candidate is dropped if a chosen one is alpha times nearer to it than
  /// the vertex is. For inner product and cosine above 0 and at most 1: the same with alpha times
  /// the similarity; for the cosine only if the distance is also 1.2 times smaller.
  float alpha = 1.2F;
  int threads = 1;
};

/// The rows of a graph. Candidates for links are searched for by the codes of all rows, if there
/// are codes, and chosen by the rows themselves.
struct GraphRows {
  RowSpace space;
  const Codes* codes = nullptr;
};

/// Returns the row that is nearest, by squared Euclidean distance, to the mean of all rows, at
/// which searches begin under every metric. Rows are plain elements (base/elements.h), at least
/// one. If any row `suits`, only such rows are considered.
std::uint32_t medoid(ElementType type, std::size_t dim, const StoredRows& rows,
                     std::size_t num_rows, const std::function<bool(std::size_t)>& suits);

/// Builds a Vamana graph (Subramanya et al., DiskANN, NeurIPS 2019) over the leaders of all
/// positions by inserting them one after another (Singh et al., FreshDiskANN, 2021, algorithm 2).
/// Followers are added to their chains at the end. Rows are inserted in a shuffled order, in
/// batches that search the graph as it was before the batch, and links are merged in the order of
/// the rows. So the graph depends neither on the number of threads nor on their timing. Fails with
/// out_of_memory and cancelled.
Result<Graph> build_graph(const GraphRows& rows, std::size_t num_rows, std::uint32_t entry,
                          const BuildOptions& options, const std::stop_token& stop);

/// Inserts rows [first, all) into a graph that has places for them, in the same way. Fails with
/// out_of_memory and cancelled; the graph must not be used after that.
Result<void> extend_graph(Graph& graph, const GraphRows& rows, std::size_t first,
                          std::uint32_t entry, const BuildOptions& options,
                          const std::stop_token& stop);

/// Replaces the links of every row that stays to removed rows: by the links of those rows, or by a
/// link to another row at the same position. Links of removed rows stay.
void bypass_removed(Graph& graph, const RowSpace& rows, const std::vector<bool>& removed,
                    const BuildOptions& options);

/// Adds links so that every row can be reached from the entry, except for rows of `left_out`
/// [rows].
void connect(Graph& graph, const RowSpace& rows, std::uint32_t entry,
             const std::vector<bool>& left_out, const BuildOptions& options);

}  // namespace embd::vamana
