#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "index/exact.h"
#include "index/spaces.h"
#include "index/visited_set.h"

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

/// The links of a graph, as AnyLinks of index/spaces.h.
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

/// The nearest rows that a search has met so far, best first, with a mark for those that were
/// expanded: the search buffer of the SVS library (docs/formats/svs.md). Rows at equal distances
/// keep the order in which they came.
class SearchBuffer {
 public:
  /// Empties the buffer. At most `capacity` rows are kept, of which the first `window` are
  /// expanded.
  void reset(std::size_t window, std::size_t capacity);
  /// Returns the row to expand next and marks it; nothing if the window is done.
  std::optional<Neighbour> next() noexcept;
  /// Returns the slot that next() would return now.
  std::optional<std::uint32_t> peek() noexcept;
  /// Returns false if a row at `distance` would not be kept.
  bool wants(float distance) const noexcept {
    return distances_.size() < capacity_ || !(distances_.back() < distance);
  }
  void insert(float distance, std::uint32_t slot);
  bool is_full() const noexcept { return distances_.size() == capacity_; }
  std::span<const std::uint32_t> slots() const noexcept { return slots_; }
  std::span<const float> distances() const noexcept { return distances_; }

 private:
  std::vector<std::uint32_t> slots_;
  std::vector<float> distances_;
  std::vector<char> expanded_;  // 1 for each row that was expanded, otherwise 0.
  std::size_t window_ = 0;
  std::size_t capacity_ = 0;
  std::size_t first_unexpanded_ = 0;
};

/// The scratch memory of the searches of one thread. It is reused from search to search.
struct SearchScratch {
  SearchBuffer buffer;
  VisitedSet visited;
  CodeScreen screen;
  std::vector<std::uint32_t> unseen;
  std::vector<std::uint32_t> ahead;  ///< rows that will probably be expanded next
  std::vector<float> distances;
  std::vector<Neighbour>
      waiting;  ///< rows that hang in the chain of another, and wait for the rest
  /// Every row that the search expanded, in order. Filled only by a search for links.
  std::vector<Neighbour> history;
};

struct Window {
  std::size_t window;
  std::size_t capacity;  ///< at least as large as the window
};

/// The purpose of a search.
enum class Purpose : std::uint8_t {
  results,  ///< followers in chains wait until all other rows are done
  /// Followers are left out, and the rows that were expanded are in scratch.history.
  links,
};

/// Searches the graph from `entry` towards `query`: for results in a RowSpace or a ScreenedSpace,
/// for links in a RowSpace or Codes. The result is in scratch.buffer.
template <Purpose purpose, AnySpace Space>
  requires(purpose == Purpose::links || SpaceOfPositions<Space>)
void search_graph(const Space& space, const typename Space::Query& query, const GraphView& graph,
                  std::uint32_t entry, Window window, SearchScratch& scratch);

}  // namespace embd::vamana
