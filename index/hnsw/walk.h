#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "index/exact.h"
#include "index/hnsw/graph.h"
#include "index/spaces.h"
#include "index/spread_links.h"
#include "index/visited_set.h"

// Searches in an HNSW graph, by the rules of USearch, so that they visit, keep and return the same
// rows as USearch.

namespace embd::hnsw {

/// The candidates that are still to be visited, the nearest on top. The binary heap is written out
/// here, because the order of equal candidates must not depend on a library.
class CandidateHeap {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  void clear() noexcept { heap_.clear(); }
  const Neighbour& top() const noexcept { return heap_.front(); }
  void push(Neighbour candidate) {
    heap_.push_back(candidate);
    std::size_t i = heap_.size() - 1;
    while (i > 0 && candidate.distance < heap_[(i - 1) / 2].distance) {
      heap_[i] = heap_[(i - 1) / 2];
      i = (i - 1) / 2;
    }
    heap_[i] = candidate;
  }
  void pop() {
    const Neighbour last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return;
    std::size_t i = 0;
    while (true) {
      const std::size_t left = 2 * i + 1;
      if (left >= size) break;
      const std::size_t right = left + 1;
      const std::size_t nearer =
          right < size && heap_[right].distance < heap_[left].distance ? right : left;
      if (!(heap_[nearer].distance < last.distance)) break;
      heap_[i] = heap_[nearer];
      i = nearer;
    }
    heap_[i] = last;
  }

 private:
  std::vector<Neighbour> heap_;
};

/// The scratch memory of a search. It is reused, by one thread at a time.
struct Scratch {
  VisitedSet visited;
  CandidateHeap next;
  CandidateHeap waiting;
  std::vector<Neighbour> top;  ///< the rows found, nearest first
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> ahead;  ///< rows that will probably be visited next
  std::vector<float> distances;
  CodeScreen screen;
  // For choosing links.
  std::vector<std::uint32_t> chosen;
  std::vector<float> chosen_distances;
  LinkScratch spread;
};

/// Inserts a candidate into `top`, which stays sorted and at most `limit` long. A new candidate is
/// placed before equal ones.
inline void insert_sorted(std::vector<Neighbour>& top, Neighbour candidate, std::size_t limit) {
  const auto place = std::lower_bound(
      top.begin(), top.end(), candidate,
      [](const Neighbour& a, const Neighbour& b) { return a.distance < b.distance; });
  if (top.size() < limit) {
    top.insert(place, candidate);
  } else if (place != top.end()) {
    std::move_backward(place, top.end() - 1, top.end());
    *place = candidate;
  }
}

/// A search of a graph for the rows near one query. All members belong to the caller.
template <AnySpace Space>
struct Walk {
  const Graph& graph;
  const Space& space;
  const typename Space::Query& query;
  Scratch& scratch;
};

/// Moves from `start` down to `end_level` (exclusive), on each level to a node that is nearer than
/// all its neighbours.
template <AnySpace Space>
Neighbour descend(const Walk<Space>& walk, Neighbour start, int level, int end_level) {
  const auto& [graph, space, query, scratch] = walk;
  Neighbour closest = start;
  for (; level > end_level; --level) {
    bool moved = true;
    while (moved) {
      moved = false;
      const auto links = graph.links(closest.slot, level);
      scratch.slots.assign(links.begin(), links.end());
      scratch.distances.resize(std::max(scratch.distances.size(), links.size()));
      for (const std::uint32_t slot : links) space.prefetch(slot);
      const std::size_t count =
          keep_within(space, closest.distance, scratch.slots, scratch.distances.data());
      space.gather(query, std::span(scratch.slots).first(count), scratch.distances.data());
      for (std::size_t i = 0; i < count; ++i) {
        if (scratch.distances[i] < closest.distance) {
          closest = {scratch.distances[i], scratch.slots[i]};
          moved = true;
        }
      }
    }
  }
  return closest;
}

/// The treatment of followers in chains. Either they wait until all other rows are done, because
/// they lead to no other place and would crowd it out; or they are not wanted.
enum class Followers : std::uint8_t { wait, are_left_out };

/// Searches one level from `start`, best first. Leaves the nearest `limit` rows that `accepts`
/// allows in scratch.top.
template <Followers followers, AnySpace Space, class Accepts>
  requires(followers == Followers::are_left_out || SpaceOfPositions<Space>)
void explore(const Walk<Space>& walk, Neighbour start, int level, std::size_t limit,
             const Accepts& accepts) {
  const auto& [graph, space, query, scratch] = walk;
  auto& top = scratch.top;
  auto& next = scratch.next;
  auto& waiting = scratch.waiting;
  auto& slots = scratch.slots;
  auto& ahead = scratch.ahead;
  top.clear();
  next.clear();
  waiting.clear();
  scratch.visited.add(start.slot);
  next.push(start);
  if (accepts(start.slot)) top.push_back(start);
  float radius = start.distance;
  const bool is_far = space.is_far();
  slots.resize(std::max<std::size_t>(slots.size(), graph.capacity(level)));
  ahead.resize(slots.size());
  scratch.distances.resize(std::max<std::size_t>(scratch.distances.size(), graph.capacity(level)));
  const auto take = [&](const Neighbour& found) {
    if (!accepts(found.slot)) return;
    insert_sorted(top, found, limit);
    radius = top.back().distance;
  };
  // How many followers are expanded although they are not near enough. The next row of the chain
  // may be nearer.
  std::size_t passes = 0;
  if constexpr (followers == Followers::wait) passes = space.has_uneven_positions() ? limit : 0;
  while (true) {
    const bool are_others_done =
        next.empty() || (next.top().distance > radius && top.size() == limit);
    CandidateHeap& from = are_others_done ? waiting : next;
    if (from.empty()) break;
    const Neighbour candidate = from.top();
    if (are_others_done) {
      if (top.size() < limit || candidate.distance < radius) {
        take(candidate);
      } else if (passes-- == 0) {
        break;
      }
    }
    from.pop();
    std::size_t count = scratch.visited.add_all(graph.links(candidate.slot, level), slots.data());
    for (std::size_t i = 0; i < (is_far ? count : std::min<std::size_t>(count, 4)); ++i)
      space.prefetch(slots[i]);
    // Fetches the likely next step while the rows are on their way.
    if (!next.empty() && level == 0 && !is_far) graph.prefetch(next.top().slot);
    if (!next.empty() && is_far) {
      const std::size_t num_ahead =
          scratch.visited.select_new(graph.links(next.top().slot, level), ahead.data());
      for (std::size_t i = 0; i < num_ahead; ++i) space.prefetch(ahead[i]);
    }
    if (top.size() == limit) {
      count = keep_within(space, radius, std::span(slots).first(count), scratch.distances.data());
    }
    if (level == 0 && is_far) {
      for (std::size_t i = 0; i < count; ++i) graph.prefetch(slots[i]);
    }
    space.gather(query, {slots.data(), count}, scratch.distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Neighbour found = {scratch.distances[i], slots[i]};
      if (graph.is_follower(found.slot)) {
        if (followers == Followers::wait) waiting.push(found);
        continue;
      }
      if (top.size() == limit && !(found.distance < radius)) continue;
      next.push(found);
      take(found);
    }
  }
  scratch.visited.clear();
}

/// Chooses links from `candidates` (nearest to the new node first): the nearest, then each
/// candidate to which no chosen one is nearer than the new node is, up to `limit`. Takes all if
/// there are fewer than `limit`.
template <MeasuresPairs Space>
std::span<const Neighbour> choose_links(const Space& space, std::span<Neighbour> candidates,
                                        std::size_t limit, Scratch& scratch) {
  if (candidates.size() < limit) return candidates;
  auto& chosen = scratch.chosen;
  chosen.clear();
  scratch.chosen_distances.resize(limit);
  std::size_t kept = 0;
  for (const Neighbour candidate : candidates) {
    if (kept == limit) break;
    bool good = true;
    if (kept > 0) {
      const auto query = space.query(candidate.slot);
      constexpr std::size_t kSome = 8;  // A near link usually rules a candidate out early.
      for (std::size_t first = 0; first < kept && good; first += kSome) {
        const std::size_t some = std::min(kSome, kept - first);
        space.gather(query, {chosen.data() + first, some}, scratch.chosen_distances.data());
        for (std::size_t i = 0; i < some; ++i) {
          good = good && !(scratch.chosen_distances[i] < candidate.distance);
        }
      }
    }
    if (good) {
      chosen.push_back(candidate.slot);
      candidates[kept++] = candidate;
    }
  }
  return candidates.first(kept);
}

}  // namespace embd::hnsw
