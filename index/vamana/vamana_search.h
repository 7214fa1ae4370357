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
