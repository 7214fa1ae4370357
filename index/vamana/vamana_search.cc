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

const SearchBuffer::Entry* SearchBuffer::next() noexcept {
  const std::size_t end = std::min(entries_.size(), window_);
  while (first_unexpanded_ < end && entries_[first_unexpanded_].expanded) ++first_unexpanded_;
  if (first_unexpanded_ == end) return nullptr;
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

void SearchScratch::forget_seen() noexcept {
  if (++stamp_ == 0) {  // the stamps of four billion searches ago would look new
    std::ranges::fill(stamps_, 0U);
    stamp_ = 1;
  }
}

void search_graph(const Distance& distance, const Distance::Query& query, const StoredRows& rows,
                  const GraphView& graph, std::uint32_t entry, Window window, bool keep_history,
                  SearchScratch& scratch) {
  scratch.forget_seen();
  scratch.history.clear();
  scratch.buffer.reset(window.window, window.capacity);
  scratch.buffer.insert(distance(query, rows, entry), entry);
  scratch.see(entry);
  while (const SearchBuffer::Entry* nearest = scratch.buffer.next()) {
    if (keep_history) scratch.history.push_back({nearest->distance, nearest->slot});
    scratch.unseen.clear();
    for (const std::uint32_t slot : graph.neighbours(nearest->slot)) {
      if (scratch.see(slot)) scratch.unseen.push_back(slot);
    }
    scratch.distances.resize(scratch.unseen.size());
    distance.gather(query, rows, scratch.unseen, scratch.distances.data());
    for (std::size_t i = 0; i < scratch.unseen.size(); ++i) {
      if (scratch.buffer.wants(scratch.distances[i]))
        scratch.buffer.insert(scratch.distances[i], scratch.unseen[i]);
    }
  }
}

}  // namespace embd::vamana
