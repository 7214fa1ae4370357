#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace embd {

/// The nodes of a graph that a search has visited. Each node has the number of the last search that
/// visited it. Numbers of one byte take little space in caches, and must be cleared only once in
/// 255 searches.
class VisitedSet {
 public:
  /// Prepares the set for a graph of `nodes` nodes.
  void prepare(std::size_t nodes) {
    if (walk_of_.size() < nodes) walk_of_.resize(nodes + nodes / 8);
  }
  /// Adds a node. Returns false if it was in the set already.
  bool add(std::uint32_t node) noexcept {
    if (walk_of_[node] == walk_) return false;
    walk_of_[node] = walk_;
    return true;
  }

  // The following functions take many nodes at once. A processor cannot predict if a node was met,
  // so they have no branch for it. `out` needs room for all nodes; the nodes that are written keep
  // their order.

  /// Writes the nodes of `nodes` that were not in the set to `out`, and adds them. Returns their
  /// number.
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
  /// Writes the nodes of `nodes` that are not in the set to `out`. Returns their number.
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
