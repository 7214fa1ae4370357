#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

// The concepts for which searches in a graph and its builders are written. A row is identified by
// its slot, its place in the index.
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

/// A space that can be searched through a graph. It may also have a screen: keep_within() in
/// spaces.h.
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

}  // namespace embd
