#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/cosine_rows.h"
#include "embd/map.h"

namespace embd {

/// The k nearest other rows of each row of a set, nearest first; at equal distances, the row with
/// the smaller number first.
struct NeighbourGraph {
  /// The number of neighbours, which is less than was asked for if there are fewer other rows.
  std::size_t k = 0;
  std::vector<std::uint32_t> rows;  ///< [n, k]
  std::vector<float> distances;     ///< [n, k], 1 − cosine similarity

  std::span<const std::uint32_t> rows_of(std::size_t row) const noexcept {
    return std::span(rows).subspan(row * k, k);
  }
  std::span<const float> distances_of(std::size_t row) const noexcept {
    return std::span(distances).subspan(row * k, k);
  }
};

struct NeighbourOptions {
  /// Sets with more rows than this are searched through an HNSW index, which finds nearly all of
  /// the nearest rows. Smaller sets are searched by comparing all rows.
  std::uint64_t exact_rows = 50'000;
  int threads = 1;
};

/// Finds the neighbours of all rows. The result does not depend on the number of threads. Fails
/// with cancelled and out_of_memory.
Result<NeighbourGraph> neighbour_graph(const CosineRows& rows, std::size_t k,
                                       const NeighbourOptions& options,
                                       const std::stop_token& stop);

/// Finds the k nearest other rows of the rows in `queries`, by comparing each of them with every
/// row. Row i of the resulting graph belongs to queries[i].
Result<NeighbourGraph> exact_neighbours(const CosineRows& rows,
                                        std::span<const std::uint32_t> queries, std::size_t k,
                                        int threads, const std::stop_token& stop);

/// Finds the neighbours by which project() places rows. Fails as project() does.
Result<NeighbourGraph> graph_to_project(MatrixView rows, const ProjectOptions& options,
                                        const std::stop_token& stop);

/// Places rows whose neighbours are known, as project() does. Fails with cancelled.
Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop);

}  // namespace embd
