#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "index/exact.h"
#include "index/spaces.h"
#include "index/vamana/vamana_graph.h"
#include "index/visited_set.h"

namespace embd::vamana {

/// The nearest rows met so far, best first, and which of them were expanded: the library's search
/// buffer (docs/formats/svs.md). Equal distances keep the order in which they came.
class SearchBuffer {
 public:
  /// Empties it. At most `capacity` rows are kept; of them the first `window` are expanded.
  void reset(std::size_t window, std::size_t capacity);
  /// The row to expand next, now marked, if the window is not done.
  std::optional<Neighbour> next() noexcept;
  /// The slot that next() would give now.
  std::optional<std::uint32_t> peek() noexcept;
  /// False if a row at `distance` would fall off the end.
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
  std::vector<char> expanded_;  // 1 or 0
  std::size_t window_ = 0;
  std::size_t capacity_ = 0;
  std::size_t first_unexpanded_ = 0;
};

/// The scratch memory of one thread's searches; reused from search to search.
struct SearchScratch {
  SearchBuffer buffer;
  VisitedSet visited;
  CodeScreen screen;
  std::vector<std::uint32_t> unseen;
  std::vector<std::uint32_t> ahead;  ///< rows of the likely next stop
  std::vector<float> distances;
  std::vector<Neighbour>
      waiting;  ///< rows that hang in the chain of another, and wait for the rest
  /// Every row the search expanded, in order; filled only where the search is for links.
  std::vector<Neighbour> history;
};

struct Window {
  std::size_t window;
  std::size_t capacity;  ///< at least the window
};

/// The purpose of a search.
enum class Purpose : std::uint8_t {
  results,  ///< rows that hang in the chain of another wait until all others are done
  links,    ///< such rows are left out, and the rows expanded on the way are in scratch.history
};

/// Walks the graph from `entry` towards `query`, in a RowSpace or a ScreenedSpace for results, in a
/// RowSpace or Codes for links; the result is in scratch.buffer.
template <Purpose purpose, AnySpace Space>
  requires(purpose == Purpose::links || SpaceOfPositions<Space>)
void search_graph(const Space& space, const typename Space::Query& query, const GraphView& graph,
                  std::uint32_t entry, Window window, SearchScratch& scratch);

}  // namespace embd::vamana
