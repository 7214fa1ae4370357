#include "analysis/edge_lists.h"

#include <algorithm>

namespace embd {
namespace {

float weight_at(std::size_t place, std::size_t k) {
  return static_cast<float>(k - place) / static_cast<float>(k);
}

/// Returns the weight of `row` among the neighbours of `of`; 0 if it is not one of them.
float weight_among(const NeighbourGraph& graph, std::size_t of, std::size_t row) {
  const auto neighbours = graph.rows_of(of);
  const auto found = std::ranges::find(neighbours, row);
  return found == neighbours.end()
             ? 0
             : weight_at(static_cast<std::size_t>(found - neighbours.begin()), graph.k);
}

}  // namespace

EdgeLists::EdgeLists(const NeighbourGraph& graph) {
  const std::size_t num_rows = graph.k == 0 ? 0 : graph.rows.size() / graph.k;
  std::vector<std::uint64_t> counts(num_rows, graph.k);
  const auto for_edges = [&](const auto& function) {
    for (std::size_t row = 0; row < num_rows; ++row) {
      for (std::size_t place = 0; place < graph.k; ++place) {
        const std::uint32_t other = graph.rows_of(row)[place];
        function(row, place, other, weight_among(graph, other, row));
      }
    }
  };
  for_edges([&](std::size_t, std::size_t, std::uint32_t other, float back) {
    if (back == 0) ++counts[other];
  });
  begins_.assign(num_rows + 1, 0);
  for (std::size_t row = 0; row < num_rows; ++row) begins_[row + 1] = begins_[row] + counts[row];
  edges_.resize(begins_.back());
  std::vector<std::uint64_t> next(begins_.begin(), begins_.end() - 1);
  for_edges([&](std::size_t row, std::size_t place, std::uint32_t other, float back) {
    const float weight = weight_at(place, graph.k);
    edges_[next[row]++] = {other, weight + back - weight * back};
    if (back == 0) edges_[next[other]++] = {static_cast<std::uint32_t>(row), weight};
  });
}

}  // namespace embd
