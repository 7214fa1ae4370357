#pragma once

#include "index/codes.h"
#include "index/exact.h"
#include "index/vamana/vamana_graph.h"
#include "index/visited_set.h"

namespace embd::vamana {

/// The nearest rows met so far, best first, and which of them were expanded: the library's search
/// buffer (docs/formats/svs.md). Equal distances keep the order in which they came.
class SearchBuffer {
 public:
  struct Entry {
    float distance;
    std::uint32_t slot;
    bool expanded;
  };

  /// Empties it. At most `capacity` entries are kept; of them the first `window` are expanded.
  void reset(std::size_t window, std::size_t capacity);
  /// The entry to expand next, now marked, or nullptr when the window is done.
  const Entry* next() noexcept;
  /// The entry that next() would give now, or nullptr.
  const Entry* peek() noexcept;
  /// False if an entry at `distance` would fall off the end.
  bool wants(float distance) const noexcept {
    return entries_.size() < capacity_ || !(entries_.back().distance < distance);
  }
  void insert(float distance, std::uint32_t slot);
  bool is_full() const noexcept { return entries_.size() == capacity_; }
  float farthest() const noexcept { return entries_.back().distance; }
  std::span<const Entry> entries() const noexcept { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::size_t window_ = 0;
  std::size_t capacity_ = 0;
  std::size_t first_unexpanded_ = 0;
};

/// What one thread needs to search; reused from search to search.
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

/// What a search is for.
enum class Purpose : std::uint8_t {
  results,  ///< rows that hang in the chain of another wait until all others are done
  links,    ///< such rows are left out, and the rows expanded on the way are in scratch.history
};

/// Walks the graph from `entry` towards `query`; the result is in scratch.buffer. `codes` of all
/// rows, if there are any, change no result.
void search_graph(const Distance& distance, const Distance::Query& query, const StoredRows& rows,
                  const GraphView& graph, std::uint32_t entry, Window window, Purpose purpose,
                  SearchScratch& scratch, const Codes* codes = nullptr);

}  // namespace embd::vamana
