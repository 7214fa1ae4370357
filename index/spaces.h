#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "index/codes.h"
#include "index/concepts.h"
#include "index/positions.h"

// The spaces of concepts.h. RowSpace has rows under their own metric. ScreenedSpace is the same
// with codes that rule out most rows as too far away. Codes (codes.h) has rows rounded to bytes.

namespace embd {

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
