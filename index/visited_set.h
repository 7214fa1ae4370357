#pragma once

#include <cstdint>
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
  bool contains(std::uint32_t node) const noexcept {
    return ((words_[node / 64] >> (node % 64)) & 1) != 0;
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
