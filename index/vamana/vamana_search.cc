#include "index/vamana/vamana_search.h"

#include <algorithm>
#include <optional>

#include "index/positions.h"

namespace embd::vamana {

void SearchBuffer::reset(std::size_t window, std::size_t capacity) {
  entries_.clear();
  entries_.reserve(capacity + 1);
  window_ = window;
  capacity_ = capacity;
  first_unexpanded_ = 0;
}

const SearchBuffer::Entry* SearchBuffer::peek() noexcept {
  const std::size_t end = std::min(entries_.size(), window_);
  while (first_unexpanded_ < end && entries_[first_unexpanded_].expanded) ++first_unexpanded_;
  return first_unexpanded_ == end ? nullptr : &entries_[first_unexpanded_];
}

const SearchBuffer::Entry* SearchBuffer::next() noexcept {
  if (peek() == nullptr) return nullptr;
  Entry& entry = entries_[first_unexpanded_];
  entry.expanded = true;
  return &entry;
}

void SearchBuffer::insert(float distance, std::uint32_t slot) {
  const auto after_equals = std::ranges::upper_bound(entries_, distance, {}, &Entry::distance);
  const auto position = static_cast<std::size_t>(after_equals - entries_.begin());
  entries_.insert(after_equals, {distance, slot, false});
  if (entries_.size() > capacity_) entries_.pop_back();
  first_unexpanded_ = std::min(first_unexpanded_, position);
}

namespace {

/// The row to expand next; where all are, the nearest of those that wait is let in first. `passes`:
/// how many of these are expanded although they are not near enough, as the next of their chain may
/// be.
std::optional<Neighbour> next_of(SearchBuffer& buffer, std::vector<Neighbour>& waiting,
                                 std::size_t& passes) {
  while (true) {
    if (const SearchBuffer::Entry* entry = buffer.next())
      return Neighbour{entry->distance, entry->slot};
    if (waiting.empty()) return std::nullopt;
    const auto place = std::ranges::min_element(waiting);
    const Neighbour nearest = *place;
    *place = waiting.back();
    waiting.pop_back();
    if (buffer.wants(nearest.distance)) {
      buffer.insert(nearest.distance, nearest.slot);
    } else if (passes > 0) {
      --passes;
      return nearest;
    }
  }
}

}  // namespace

void search_graph(const Distance& distance, const Distance::Query& query, const StoredRows& rows,
                  const GraphView& graph, std::uint32_t entry, Window window, Purpose purpose,
                  SearchScratch& scratch, const Codes* codes) {
  auto& [buffer, visited, screen, unseen, ahead, distances, waiting, history] = scratch;
  visited.prepare(graph.num_vertices);
  waiting.clear();
  history.clear();
  if (codes != nullptr) screen.set(*codes, distance, query);
  buffer.reset(window.window, window.capacity);
  buffer.insert(distance(query, rows, entry), entry);
  visited.add(entry);
  unseen.resize(std::max(unseen.size(), graph.max_degree));
  ahead.resize(unseen.size());
  distances.resize(std::max(distances.size(), graph.max_degree));
  std::size_t passes = may_differ_at_a_position(distance.metric()) ? window.capacity : 0;
  while (const auto nearest = next_of(buffer, waiting, passes)) {
    if (purpose == Purpose::links) history.push_back({nearest->distance, nearest->slot});
    std::size_t count = visited.add_all(graph.neighbours(nearest->slot), unseen.data());
    if (codes != nullptr) {
      for (std::size_t i = 0; i < count; ++i) codes->prefetch(unseen[i]);
      // The likely next stop, while these are on their way.
      if (const SearchBuffer::Entry* after = buffer.peek()) {
        const std::size_t num_ahead =
            visited.select_new(graph.neighbours(after->slot), ahead.data());
        for (std::size_t i = 0; i < num_ahead; ++i) codes->prefetch(ahead[i]);
      }
      if (buffer.is_full()) {
        count =
            screen.keep_within(buffer.farthest(), std::span(unseen).first(count), distances.data());
      }
    }
    for (std::size_t i = 0; i < count; ++i) graph.prefetch(unseen[i]);
    distance.gather(query, rows, std::span(unseen).first(count), distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (graph.is_follower(unseen[i])) {
        if (purpose == Purpose::results) waiting.push_back({distances[i], unseen[i]});
      } else if (buffer.wants(distances[i])) {
        buffer.insert(distances[i], unseen[i]);
      }
    }
  }
  visited.clear();
}

}  // namespace embd::vamana
