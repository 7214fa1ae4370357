#include "index/vamana/vamana_search.h"

#include <algorithm>

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

void search_graph(const Distance& distance, const Distance::Query& query, const StoredRows& rows,
                  const GraphView& graph, std::uint32_t entry, Window window, bool keep_history,
                  SearchScratch& scratch, const Codes* codes) {
  auto& [buffer, visited, screen, unseen, distances, history] = scratch;
  visited.prepare(graph.num_vertices);
  history.clear();
  if (codes != nullptr) screen.set(*codes, distance, query);
  buffer.reset(window.window, window.capacity);
  buffer.insert(distance(query, rows, entry), entry);
  visited.add(entry);
  unseen.resize(std::max(unseen.size(), graph.max_degree));
  distances.resize(std::max(distances.size(), graph.max_degree));
  while (const SearchBuffer::Entry* nearest = buffer.next()) {
    if (keep_history) history.push_back({nearest->distance, nearest->slot});
    std::size_t count = 0;
    for (const std::uint32_t slot : graph.neighbours(nearest->slot)) {
      if (!visited.add(slot)) continue;
      unseen[count++] = slot;
      if (codes != nullptr) codes->prefetch(slot);
    }
    if (codes != nullptr) {
      // The likely next stop, while these are on their way.
      if (const SearchBuffer::Entry* after = buffer.peek()) {
        for (const std::uint32_t slot : graph.neighbours(after->slot)) {
          if (!visited.contains(slot)) codes->prefetch(slot);
        }
      }
      if (buffer.is_full()) {
        count =
            screen.keep_within(buffer.farthest(), std::span(unseen).first(count), distances.data());
      }
    }
    for (std::size_t i = 0; i < count; ++i) graph.prefetch(unseen[i]);
    distance.gather(query, rows, std::span(unseen).first(count), distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (buffer.wants(distances[i])) buffer.insert(distances[i], unseen[i]);
    }
  }
  visited.clear();
}

}  // namespace embd::vamana
