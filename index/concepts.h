#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

// The types that walks over a graph and its builders are written over. Rows are numbered by slots.
namespace embd {

/// Measures distances from queries to rows; a smaller distance is nearer.
template <class Space>
concept MeasuresRows = requires(const Space& space, const typename Space::Query& query,
                                std::span<const std::uint32_t> slots, float* out) {
  // The distances to some rows at once, into `out`.
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
  // Fetches a row that is about to be asked for.
  space.prefetch(slot);
  // True if rows take long to come, so that those of the likely next stop are worth fetching.
  { space.is_far() } -> std::same_as<bool>;
};

/// A space whose rows a builder links.
template <class Space>
concept SpaceOfRows = AnySpace<Space> && MeasuresPairs<Space> && requires(const Space& space) {
  // True if "so many times nearer" means anything.
  { space.has_ratios() } -> std::same_as<bool>;
};

/// A space for searches in which the rows of a chain wait until the end (chain.h).
template <class Space>
concept SpaceOfPositions = AnySpace<Space> && requires(const Space& space) {
  // True if the rows of a position may lie at distances that differ.
  { space.has_uneven_positions() } -> std::same_as<bool>;
};

/// The lists of links on which a search ends: level 0 of an HNSW graph, or the edges of a Vamana
/// graph. A copy refers to the same lists.
template <class Links>
concept AnyLinks =
    std::copyable<Links> && requires(Links links, const Links& read, std::uint32_t slot,
                                     std::span<const std::uint32_t> list, bool is_follower) {
      // The number of rows, and how long a list may be.
      { read.size() } -> std::convertible_to<std::size_t>;
      { read.capacity() } -> std::convertible_to<std::size_t>;
      // The rows that a row leads to.
      { read.of(slot) } -> std::convertible_to<std::span<const std::uint32_t>>;
      links.set(slot, list);
      // True for a row that is one; its list begins with the next of the chain.
      { read.is_follower(slot) } -> std::convertible_to<bool>;
      links.set_follower(slot, is_follower);
    };

/// A test for a candidate for a link that is at the distance `from_link` from the nearest chosen
/// link and at `from_row` from the row: tells whether the candidate is superfluous.
template <class Superfluous>
concept TellsSuperfluous =
    requires(const Superfluous& superfluous, float from_link, float from_row) {
      { superfluous.at_all(from_link, from_row) } -> std::same_as<bool>;
      // More than a little.
      { superfluous.by_far(from_link, from_row) } -> std::same_as<bool>;
      // Both answers are the same for any nearer link.
      { superfluous.is_settled(from_link, from_row) } -> std::same_as<bool>;
    };

}  // namespace embd
