#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace embd::vamana {

/// Out-edges of `num_vertices` vertices, each a row of the degree and that many neighbours in
/// max_degree + 1 places. Nothing here is owned: the rows may lie in a mapped file.
struct GraphView {
  const std::uint32_t* rows = nullptr;
  std::size_t num_vertices = 0;
  std::size_t max_degree = 0;
  /// Which vertices hang in the chain of another (index/chain.h); null: none.
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

/// A graph one can change.
class Graph {
 public:
  Graph(std::size_t num_vertices, std::size_t max_degree)
      : rows_(num_vertices * (max_degree + 1)), max_degree_(max_degree), followers_(num_vertices) {}

  GraphView view() const noexcept {
    return {rows_.data(), followers_.size(), max_degree_, &followers_};
  }
  /// More vertices, without edges yet.
  void grow(std::size_t num_vertices) {
    rows_.resize(num_vertices * (max_degree_ + 1));
    followers_.resize(num_vertices);
  }
  std::span<const std::uint32_t> neighbours(std::uint32_t vertex) const noexcept {
    return view().neighbours(vertex);
  }
  /// At most max_degree neighbours; the places after them become zeros.
  void set(std::uint32_t vertex, std::span<const std::uint32_t> neighbours) noexcept {
    std::uint32_t* edges = row(vertex);
    edges[0] = static_cast<std::uint32_t>(neighbours.size());
    std::fill(std::ranges::copy(neighbours, edges + 1).out, edges + max_degree_ + 1, 0U);
  }
  /// Lets the two vertices of each pair take each other's place, edges from and to them included.
  /// No vertex is in two pairs.
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

/// The edges of a graph: AnyLinks (index/concepts.h).
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
