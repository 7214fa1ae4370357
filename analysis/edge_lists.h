#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/neighbour_graph.h"

namespace embd {

/// A line between two rows of which one is a neighbour of the other.
struct Edge {
  std::uint32_t row = 0;  ///< at the other end
  float weight = 0;       ///< 0 to 1, how much the ends belong together
};

/// The edges of each row, the same from both ends.
class EdgeLists {
 public:
  /// The nearest of a row's k neighbours has weight 1, each next one 1/k less. Where two rows are
  /// neighbours of each other, the weights a and b become a + b − ab, as chances that one of two
  /// things is true.
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
