#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace embd {

/// The nodes of a graph that a walk has met: a bit a node, and which words hold any, so that few
/// are cleared behind it.
class VisitedSet {
 public:
  /// Room for a graph of `nodes`.
  void prepare(std::size_t nodes) {
    if (words_.size() * 64 < nodes) words_.resize((nodes + 63) / 64 + nodes / 512);
  }
  /// False if it was in already.
  bool add(std::uint32_t node) {
    std::uint64_t& word = words_[node / 64];
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    if ((word & bit) != 0) return false;
    if (word == 0) touched_.push_back(node / 64);
    word |= bit;
    return true;
  }

  // Of many at once. Whether a node was met is a coin's toss to the processor, so these have no
  // branch for it. `out` has room for all nodes; what is written is in their order.

  /// Adds `nodes` → those that were not in; returns how many.
  std::size_t add_all(std::span<const std::uint32_t> nodes, std::uint32_t* out) {
    std::size_t touched = touched_.size();
    touched_.resize(touched + nodes.size());
    std::size_t count = 0;
    for (const std::uint32_t node : nodes) {
      std::uint64_t& word = words_[node / 64];
      const std::uint64_t bit = std::uint64_t{1} << (node % 64);
      out[count] = node;
      count += (word & bit) == 0 ? 1 : 0;
      touched_[touched] = node / 64;
      touched += word == 0 ? 1 : 0;
      word |= bit;
    }
    touched_.resize(touched);
    return count;
  }
  /// → those that are not in; returns how many.
  std::size_t select_new(std::span<const std::uint32_t> nodes, std::uint32_t* out) const noexcept {
    std::size_t count = 0;
    for (const std::uint32_t node : nodes) {
      out[count] = node;
      count += ((words_[node / 64] >> (node % 64)) & 1) == 0 ? 1 : 0;
    }
    return count;
  }
  void clear() noexcept {
    for (const std::uint32_t word : touched_) words_[word] = 0;
    touched_.clear();
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace embd
