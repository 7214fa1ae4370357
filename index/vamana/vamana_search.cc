#include "index/vamana/vamana_search.h"

namespace embd::vamana {
namespace {

/// The greatest number of distances that are counted one by one; more are halved by binary search
/// first. The place of a new row cannot be predicted, so each step of a binary search costs a
/// mispredicted branch every other time.
constexpr std::size_t kFew = 128;

/// Returns how many of the ascending `distances` are at most `distance`.
std::size_t count_up_to(std::span<const float> distances, float distance) noexcept {
  std::size_t first = 0;
  std::size_t left = distances.size();
  while (left > kFew) {
    const std::size_t half = left / 2;
    if (distance < distances[first + half]) {
      left = half;
    } else {
      first += half;
      left -= half;
    }
  }
  std::uint32_t count = 0;
  for (const float other : distances.subspan(first, left)) count += distance < other ? 0 : 1;
  return first + count;
}

/// Returns the next row to expand. If all rows in the buffer are expanded, the nearest waiting row
/// is added first. `passes` is the number of waiting rows that are expanded although they are not
/// near enough, because the next row of their chain may be.
std::optional<Neighbour> next_of(SearchBuffer& buffer, std::vector<Neighbour>& waiting,
                                 std::size_t& passes) {
  while (true) {
    if (const auto next = buffer.next()) return next;
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

void SearchBuffer::reset(std::size_t window, std::size_t capacity) {
  slots_.clear();
  distances_.clear();
  expanded_.clear();
  window_ = window;
  capacity_ = capacity;
  first_unexpanded_ = 0;
}

std::optional<std::uint32_t> SearchBuffer::peek() noexcept {
  const std::size_t end = std::min(slots_.size(), window_);
  while (first_unexpanded_ < end && expanded_[first_unexpanded_] != 0) ++first_unexpanded_;
  if (first_unexpanded_ == end) return std::nullopt;
  return slots_[first_unexpanded_];
}

std::optional<Neighbour> SearchBuffer::next() noexcept {
  const auto slot = peek();
  if (!slot) return std::nullopt;
  expanded_[first_unexpanded_] = 1;
  return Neighbour{distances_[first_unexpanded_], *slot};
}

void SearchBuffer::insert(float distance, std::uint32_t slot) {
  const std::size_t position = count_up_to(distances_, distance);  // After equal distances.
  const auto offset = static_cast<std::ptrdiff_t>(position);
  if (position == capacity_) return;
  if (slots_.size() == capacity_) {
    slots_.pop_back();
    distances_.pop_back();
    expanded_.pop_back();
  }
  slots_.insert(slots_.begin() + offset, slot);
  distances_.insert(distances_.begin() + offset, distance);
  expanded_.insert(expanded_.begin() + offset, 0);
  first_unexpanded_ = std::min(first_unexpanded_, position);
}

template <Purpose purpose, AnySpace Space>
  requires(purpose == Purpose::links || SpaceOfPositions<Space>)
void search_graph(const Space& space, const typename Space::Query& query, const GraphView& graph,
                  std::uint32_t entry, Window window, SearchScratch& scratch) {
  constexpr bool is_for_links = purpose == Purpose::links;
  auto& [buffer, visited, screen, unseen, ahead, distances, waiting, history] = scratch;
  visited.prepare(graph.num_vertices);
  waiting.clear();
  history.clear();
  buffer.reset(window.window, window.capacity);
  buffer.insert(distance_to(space, query, entry), entry);
  visited.add(entry);
  unseen.resize(std::max(unseen.size(), graph.max_degree));
  ahead.resize(unseen.size());
  distances.resize(std::max(distances.size(), graph.max_degree));
  const bool is_far = space.is_far();
  std::size_t passes = 0;
  if constexpr (!is_for_links) passes = space.has_uneven_positions() ? window.capacity : 0;
  while (const auto nearest = next_of(buffer, waiting, passes)) {
    if (is_for_links) history.push_back({nearest->distance, nearest->slot});
    std::size_t count = visited.add_all(graph.neighbours(nearest->slot), unseen.data());
    if (is_far) {
      for (std::size_t i = 0; i < count; ++i) space.prefetch(unseen[i]);
      // Fetches the likely next step while the rows are on their way.
      if (const auto after = buffer.peek()) {
        const std::size_t num_ahead = visited.select_new(graph.neighbours(*after), ahead.data());
        for (std::size_t i = 0; i < num_ahead; ++i) space.prefetch(ahead[i]);
      }
    }
    if (buffer.is_full()) {
      count = keep_within(space, buffer.distances().back(), std::span(unseen).first(count),
                          distances.data());
    }
    for (std::size_t i = 0; i < count; ++i) graph.prefetch(unseen[i]);
    space.gather(query, std::span(unseen).first(count), distances.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (graph.is_follower(unseen[i])) {
        if (!is_for_links) waiting.push_back({distances[i], unseen[i]});
      } else if (buffer.wants(distances[i])) {
        buffer.insert(distances[i], unseen[i]);
      }
    }
  }
  visited.clear();
}

template void search_graph<Purpose::results>(const RowSpace&, const RowSpace::Query&,
                                             const GraphView&, std::uint32_t, Window,
                                             SearchScratch&);
template void search_graph<Purpose::results>(const ScreenedSpace&, const ScreenedSpace::Query&,
                                             const GraphView&, std::uint32_t, Window,
                                             SearchScratch&);
template void search_graph<Purpose::links>(const RowSpace&, const RowSpace::Query&,
                                           const GraphView&, std::uint32_t, Window, SearchScratch&);
template void search_graph<Purpose::links>(const Codes&, const Codes::Query&, const GraphView&,
                                           std::uint32_t, Window, SearchScratch&);

}  // namespace embd::vamana
