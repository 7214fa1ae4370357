#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "index/distances/distance.h"

namespace embd {

/// Finds rows that no search can tell apart: equal ones and, where the metric looks at directions
/// only, those of one direction. Such rows stand at one position. A graph links the first of a
/// position, its leader, to other positions; the others, its followers, hang on the leader in a
/// chain (docs/decisions/013-one-leader-a-position.md).
class Positions {
 public:
  Positions(const Distance& distance, const StoredRows& rows) noexcept
      : distance_(distance), rows_(rows) {}

  bool same(std::uint32_t a, std::uint32_t b) const noexcept;
  /// For each of `slots` the first of them, in their order, at its position. Errors: out_of_memory.
  Result<std::vector<std::uint32_t>> leaders(std::span<const std::uint32_t> slots,
                                             int threads) const;

 private:
  /// Equal for rows at one position, but for directions that lie at the edge of a rounding.
  std::uint64_t key(std::uint32_t slot, std::vector<float>& values) const noexcept;

  Distance distance_;
  StoredRows rows_;
};

/// Whether rows of one position may lie at distances that differ, if by little: where the metric
/// looks at directions.
bool may_differ_at_a_position(Metric metric) noexcept;

/// `slots` in an order that tells nothing about the rows, the same on every machine. Rows that
/// follow one another are often alike; inserted as they come, the rows of a batch would be
/// neighbours that do not see one another.
std::vector<std::uint32_t> shuffled(std::span<const std::uint32_t> slots);

}  // namespace embd
