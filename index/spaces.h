#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "index/codes.h"
#include "index/positions.h"

// The concepts for which searches in a graph and its builders are written, then the spaces that
// fulfil them. A row is identified by its slot, its place in the index. RowSpace has rows under
// their own metric. ScreenedSpace is the same with codes that rule out most rows as too far away.
// Codes (codes.h) has rows rounded to bytes.
namespace embd {

/// Measures distances from queries to rows; a smaller distance is nearer.
template <class Space>
concept MeasuresRows = requires(const Space& space, const typename Space::Query& query,
                                std::span<const std::uint32_t> slots, float* out) {
  // Writes the distances of the rows in `slots` to `out`.
  space.gather(query, slots, out);
};

/// Measures distances between rows: each row can be a query.
template <class Space>
concept MeasuresPairs = MeasuresRows<Space> && requires(const Space& space, std::uint32_t slot) {
  { space.query(slot) } -> std::same_as<typename Space::Query>;
};

/// A space that can be searched through a graph. It may also have a screen: keep_within().
template <class Space>
concept AnySpace = MeasuresRows<Space> && requires(const Space& space, std::uint32_t slot) {
  // Fetches a row into the cache, because its distance is needed soon.
  space.prefetch(slot);
  // Returns true if rows are so long that the rows of the likely next step are worth fetching
  // early.
  { space.is_far() } -> std::same_as<bool>;
};

/// Requires a space whose rows a builder can link.
template <class Space>
concept SpaceOfRows = AnySpace<Space> && MeasuresPairs<Space> && requires(const Space& space) {
  // Returns true if ratios of distances have a meaning, such as "1.2 times nearer".
  { space.has_ratios() } -> std::same_as<bool>;
};

/// A space for searches in which the rows of a chain wait until the end (chain.h).
template <class Space>
concept SpaceOfPositions = AnySpace<Space> && requires(const Space& space) {
  // Returns true if rows at one position may differ a little in their distances.
  { space.has_uneven_positions() } -> std::same_as<bool>;
};

/// The lists of links on which a search ends: level 0 of an HNSW graph, or the edges of a Vamana
/// graph. A copy refers to the same lists.
template <class Links>
concept AnyLinks =
    std::copyable<Links> && requires(Links links, const Links& read, std::uint32_t slot,
                                     std::span<const std::uint32_t> list, bool is_follower) {
      // The number of rows, and the greatest length of a list.
      { read.size() } -> std::convertible_to<std::size_t>;
      { read.capacity() } -> std::convertible_to<std::size_t>;
      // The rows that a row links to.
      { read.of(slot) } -> std::convertible_to<std::span<const std::uint32_t>>;
      links.set(slot, list);
      // Returns true if a row is a follower (chain.h). Its list then begins with the next row of
      // its chain.
      { read.is_follower(slot) } -> std::convertible_to<bool>;
      links.set_follower(slot, is_follower);
    };

/// A test for a candidate for a link that is at the distance `from_link` from the nearest chosen
/// link and at `from_row` from the row: tells whether the candidate is superfluous.
template <class Superfluous>
concept TellsSuperfluous =
    requires(const Superfluous& superfluous, float from_link, float from_row) {
      { superfluous.at_all(from_link, from_row) } -> std::same_as<bool>;
      // Returns true if the candidate is superfluous by more than a small margin.
      { superfluous.by_far(from_link, from_row) } -> std::same_as<bool>;
      // Returns true if both answers stay the same for any smaller `from_link`.
      { superfluous.is_settled(from_link, from_row) } -> std::same_as<bool>;
    };

/// The size in bytes from which on it is worth fetching rows early. Shorter rows are usually in a
/// cache, or can be read in no time.
constexpr std::size_t kFarRowBytes = 384;

template <AnySpace Space>
float distance_to(const Space& space, const typename Space::Query& query, std::uint32_t slot) {
  float distance = 0;
  space.gather(query, std::span(&slot, 1), &distance);
  return distance;
}

/// Compares rows by their own metric.
struct RowSpace {
  const Distance& distance;
  const StoredRows& rows;

  using Query = Distance::Query;
  Query query(std::uint32_t slot) const noexcept { return distance.query(rows, slot); }
  void gather(const Query& query, std::span<const std::uint32_t> slots, float* out) const noexcept {
    distance.gather(query, rows, slots, out);
  }
  bool has_ratios() const noexcept { return distance.metric() != Metric::ip; }
  bool has_uneven_positions() const noexcept { return may_differ_at_a_position(distance.metric()); }
  bool is_far() const noexcept { return distance.row_bytes() >= kFarRowBytes; }
  void prefetch(std::uint32_t slot) const noexcept {
    const auto* row = reinterpret_cast<const char*>(rows.row(slot));
    const std::size_t bytes = std::min<std::size_t>(distance.row_bytes(), 512);
    for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(row + i);
  }
};

/// Rows under their own metric, with a screen that rules out most of them as too far from the
/// query.
struct ScreenedSpace {
  RowSpace space;
  const CodeScreen& screen;

  using Query = Distance::Query;
  void gather(const Query& query, std::span<const std::uint32_t> slots, float* out) const noexcept {
    space.gather(query, slots, out);
  }
  std::size_t keep_within(float radius, std::span<std::uint32_t> slots,
                          float* distances) const noexcept {
    return screen.keep_within(radius, slots, distances);
  }
  bool has_uneven_positions() const noexcept { return space.has_uneven_positions(); }
  bool is_far() const noexcept { return true; }
  void prefetch(std::uint32_t slot) const noexcept { screen.prefetch(slot); }
};

/// Keeps all rows in spaces without a screen.
template <AnySpace Space>
std::size_t keep_within(const Space& space, float radius, std::span<std::uint32_t> slots,
                        float* distances) {
  if constexpr (requires { space.keep_within(radius, slots, distances); }) {
    return space.keep_within(radius, slots, distances);
  } else {
    return slots.size();
  }
}

}  // namespace embd
