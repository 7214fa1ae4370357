#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/distances/distance.h"

namespace embd {

/// Finds rows that no search can tell apart: equal rows and, if the metric only depends on
/// directions, rows with the same direction. Such rows have one position. A graph links the first
/// row of a position, its leader, to other positions. The other rows, its followers, form a chain
/// behind the leader (docs/decisions/013-one-leader-a-position.md).
class Positions {
 public:
  Positions(const Distance& distance, const StoredRows& rows) noexcept
      : distance_(distance), rows_(rows) {}

  bool same(std::uint32_t a, std::uint32_t b) const noexcept;
  /// Returns, for each of `slots`, the first of them, in their order, that has the same position.
  /// Fails with out_of_memory.
  Result<std::vector<std::uint32_t>> leaders(std::span<const std::uint32_t> slots,
                                             int threads) const;

 private:
  /// Returns a hash that is equal for rows at the same position, except for directions that differ
  /// by rounding.
  std::uint64_t key(std::uint32_t slot, std::vector<float>& values) const noexcept;

  Distance distance_;
  StoredRows rows_;
};

/// Returns true if rows at the same position may have slightly different distances, because the
/// metric only depends on directions.
bool may_differ_at_a_position(Metric metric) noexcept;

/// Returns `slots` in an order that is unrelated to the rows and the same on every machine.
/// Consecutive rows are often similar; inserted in their order, the rows of a batch would be
/// neighbours that do not see each other.
std::vector<std::uint32_t> shuffled(std::span<const std::uint32_t> slots);

}  // namespace embd
