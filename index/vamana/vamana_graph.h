#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace embd::vamana {

/// Out-edges of `num_vertices` vertices, each a row of the degree and that many neighbours in
/// max_degree + 1 places. Nothing here is owned: the rows may lie in a mapped file.
struct GraphView {
  const std::uint32_t* rows = nullptr;
  std::size_t num_vertices = 0;
  std::size_t max_degree = 0;

  std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const noexcept {
    const std::uint32_t* row = rows + vertex * (max_degree + 1);
    return {row + 1, row[0]};
  }
  void prefetch(std::uint32_t vertex) const noexcept {
    const std::uint32_t* row = rows + vertex * (max_degree + 1);
    for (std::size_t i = 0; i <= max_degree; i += 16) __builtin_prefetch(row + i);
  }
};

/// A graph one can change.
class Graph {
 public:
  Graph(std::size_t num_vertices, std::size_t max_degree)
      : rows_(num_vertices * (max_degree + 1)), max_degree_(max_degree) {}

  GraphView view() const noexcept {
    return {rows_.data(), rows_.size() / (max_degree_ + 1), max_degree_};
  }
  /// More vertices, without edges yet.
  void grow(std::size_t num_vertices) { rows_.resize(num_vertices * (max_degree_ + 1)); }
  std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const noexcept {
    return view().neighbours(vertex);
  }
  /// At most max_degree neighbours; the places after them become zeros.
  void set(std::uint32_t vertex, std::span<const std::uint32_t> neighbours) noexcept {
    std::uint32_t* row = rows_.data() + vertex * (max_degree_ + 1);
    row[0] = static_cast<std::uint32_t>(neighbours.size());
    std::fill(std::ranges::copy(neighbours, row + 1).out, row + max_degree_ + 1, 0U);
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t max_degree_;
};

/// The same as index/chain.h wants it.
struct Edges {
  Graph* graph;

  std::size_t size() const noexcept { return graph->view().num_vertices; }
  std::size_t capacity() const noexcept { return graph->view().max_degree; }
  std::span<const std::uint32_t> of(std::uint32_t vertex) const noexcept {
    return graph->neighbours(vertex);
  }
  void set(std::uint32_t vertex, std::span<const std::uint32_t> neighbours) noexcept {
    graph->set(vertex, neighbours);
  }
};

}  // namespace embd::vamana
