#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace embd::vamana {

/// A view of the links of `num_vertices` vertices. Each vertex has max_degree + 1 places: the
/// number of its links, then the links. They may be in a mapped file.
struct GraphView {
  const std::uint32_t* rows = nullptr;
  std::size_t num_vertices = 0;
  std::size_t max_degree = 0;
  /// True for each vertex that is a follower in a chain (index/chain.h); null if there are none.
  const std::vector<bool>* followers = nullptr;

  bool is_follower(std::uint32_t vertex) const noexcept {
    return followers != nullptr && (*followers)[vertex];
  }
  std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const noexcept {
    const std::uint32_t* row = rows + vertex * (max_degree + 1);
    return {row + 1, row[0]};
  }
  void prefetch(std::uint32_t vertex) const noexcept {
    const std::uint32_t* row = rows + vertex * (max_degree + 1);
    for (std::size_t i = 0; i <= max_degree; i += 16) __builtin_prefetch(row + i);
  }
};

/// A graph that can be changed.
class Graph {
 public:
  Graph(std::size_t num_vertices, std::size_t max_degree)
      : rows_(num_vertices * (max_degree + 1)), max_degree_(max_degree), followers_(num_vertices) {}

  GraphView view() const noexcept {
    return {rows_.data(), followers_.size(), max_degree_, &followers_};
  }
  /// Adds vertices without links.
  void grow(std::size_t num_vertices) {
    rows_.resize(num_vertices * (max_degree_ + 1));
    followers_.resize(num_vertices);
  }
  std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const noexcept {
    return view().neighbours(vertex);
  }
  /// Sets the links of a vertex, at most max_degree. The places after them become zero.
  void set(std::uint32_t vertex, std::span<const std::uint32_t> neighbours) noexcept {
    std::uint32_t* edges = row(vertex);
    edges[0] = static_cast<std::uint32_t>(neighbours.size());
    std::fill(std::ranges::copy(neighbours, edges + 1).out, edges + max_degree_ + 1, 0U);
  }
  /// Exchanges the two vertices of each pair, including the links from and to them. No vertex may
  /// be in two pairs.
  void exchange(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs) {
    if (pairs.empty()) return;
    std::vector<std::uint32_t> place(followers_.size());
    std::iota(place.begin(), place.end(), 0U);
    for (const auto& [a, b] : pairs) {
      std::swap(place[a], place[b]);
      std::vector<bool>::swap(followers_[a], followers_[b]);
      std::swap_ranges(row(a), row(a) + max_degree_ + 1, row(b));
    }
    for (std::uint32_t vertex = 0; vertex < place.size(); ++vertex) {
      std::uint32_t* edges = row(vertex);
      for (std::uint32_t i = 1; i <= edges[0]; ++i) edges[i] = place[edges[i]];
    }
  }
  bool is_follower(std::uint32_t vertex) const noexcept { return followers_[vertex]; }
  void set_follower(std::uint32_t vertex, bool is) noexcept { followers_[vertex] = is; }

 private:
  std::uint32_t* row(std::uint32_t vertex) noexcept {
    return rows_.data() + vertex * (max_degree_ + 1);
  }

  std::vector<std::uint32_t> rows_;
  std::size_t max_degree_;
  std::vector<bool> followers_;
};

/// The links of a graph, as AnyLinks of index/concepts.h.
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
  bool is_follower(std::uint32_t vertex) const noexcept { return graph->is_follower(vertex); }
  void set_follower(std::uint32_t vertex, bool is) noexcept { graph->set_follower(vertex, is); }
};

}  // namespace embd::vamana
