#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace embd {

/// The nodes of a graph that a walk has met: each node has the number of the last walk that met it.
/// Numbers of a byte take little of the caches, and are all cleared once in 255 walks.
class VisitedSet {
 public:
  /// Room for a graph of `nodes`.
  void prepare(std::size_t nodes) {
    if (walk_of_.size() < nodes) walk_of_.resize(nodes + nodes / 8);
  }
  /// False if it was in already.
  bool add(std::uint32_t node) noexcept {
    if (walk_of_[node] == walk_) return false;
    walk_of_[node] = walk_;
    return true;
  }

  // Of many at once. Whether a node was met is a coin's toss to the processor, so these have no
  // branch for it. `out` has room for all nodes; what is written is in their order.

  /// Adds `nodes` → those that were not in; returns how many.
  std::size_t add_all(std::span<const std::uint32_t> nodes, std::uint32_t* out) noexcept {
    std::uint8_t* const walk_of = walk_of_.data();
    const std::uint8_t walk = walk_;
    std::size_t count = 0;
    for (const std::uint32_t node : nodes) {
      out[count] = node;
      count += walk_of[node] != walk ? 1 : 0;
      walk_of[node] = walk;
    }
    return count;
  }
  /// → those that are not in; returns how many.
  std::size_t select_new(std::span<const std::uint32_t> nodes, std::uint32_t* out) const noexcept {
    std::size_t count = 0;
    for (const std::uint32_t node : nodes) {
      out[count] = node;
      count += walk_of_[node] != walk_ ? 1 : 0;
    }
    return count;
  }
  void clear() noexcept {
    if (++walk_ != 0) return;
    std::ranges::fill(walk_of_, 0);
    walk_ = 1;
  }

 private:
  std::vector<std::uint8_t> walk_of_;
  std::uint8_t walk_ = 1;
};

}  // namespace embd
