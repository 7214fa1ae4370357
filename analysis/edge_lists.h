#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/neighbour_graph.h"

namespace embd {

/// A connection of a row to another row, one of which is a nearest neighbour of the other.
struct Edge {
  std::uint32_t row = 0;  ///< the other row
  float weight = 0;       ///< how strongly the rows are connected, 0 to 1
};

/// The edges of each row. Every edge is listed at both of its rows.
class EdgeLists {
 public:
  /// Makes edges of neighbours. The nearest of a row's k neighbours has weight 1, each next one 1/k
  /// less. If two rows are neighbours of each other, their weights a and b become a + b − ab, the
  /// probability that at least one of two independent events occurs.
  explicit EdgeLists(const NeighbourGraph& graph);

  std::size_t num_rows() const noexcept { return begins_.size() - 1; }
  std::span<const Edge> of(std::size_t row) const noexcept {
    return std::span(edges_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }

 private:
  std::vector<std::uint64_t> begins_;  // [rows + 1]
  std::vector<Edge> edges_;
};

}  // namespace embd
