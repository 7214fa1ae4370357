#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "analysis/cosine_rows.h"

namespace embd {

/// The k nearest other rows of each row of a set, nearest first, equal distances by row number.
struct NeighbourGraph {
  std::size_t k = 0;                ///< as asked for, but no more than there are other rows
  std::vector<std::uint32_t> rows;  ///< [n, k]
  std::vector<float> distances;     ///< [n, k], 1 − cosine

  std::span<const std::uint32_t> rows_of(std::size_t row) const noexcept {
    return std::span(rows).subspan(row * k, k);
  }
  std::span<const float> distances_of(std::size_t row) const noexcept {
    return std::span(distances).subspan(row * k, k);
  }
};

struct NeighbourOptions {
  /// A set of more rows is searched through a HNSW index instead of row by row: nearly all of the
  /// nearest are found.
  std::uint64_t exact_rows = 50'000;
  int threads = 1;
};

/// Finds the neighbours of all rows. The result is the same on any number of threads. Errors:
/// cancelled, out_of_memory.
Result<NeighbourGraph> neighbour_graph(const CosineRows& rows, std::size_t k,
                                       const NeighbourOptions& options,
                                       const std::stop_token& stop);

/// Finds the k nearest other rows of those named in `queries`, comparing each with every row; as a
/// graph whose row i is that of queries[i].
Result<NeighbourGraph> exact_neighbours(const CosineRows& rows,
                                        std::span<const std::uint32_t> queries, std::size_t k,
                                        int threads, const std::stop_token& stop);

}  // namespace embd
