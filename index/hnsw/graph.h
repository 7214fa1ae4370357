#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"

namespace embd::hnsw {

/// Reserves memory in a vector that may grow often by small amounts: exactly at first, later at
/// least half more, so that all growing together takes linear time.
template <class Vector>
void reserve_more(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(std::max(size, vector.capacity() / 2 * 3));
}

/// The links of an HNSW graph. A list consists of its count, followed by all its places, used or
/// not, as in USearch's files. The lists of level 0 are in one array, each beginning a cache line;
/// the few higher levels of each node are together in another array.
class Graph {
 public:
  Graph() = default;
  Graph(std::uint32_t connectivity, std::uint32_t connectivity_base)
      : connectivity_(connectivity),
        connectivity_base_(connectivity_base),
        base_stride_((1 + connectivity_base + 15) / 16 * 16) {}

  std::uint32_t connectivity() const noexcept { return connectivity_; }
  std::uint32_t connectivity_base() const noexcept { return connectivity_base_; }
  std::uint32_t capacity(int level) const noexcept {
    return level == 0 ? connectivity_base_ : connectivity_;
  }
  std::size_t size() const noexcept { return levels_.size(); }
  int level(std::uint32_t slot) const noexcept { return levels_[slot]; }
  /// Returns true if a node is a follower in a chain (index/chain.h).
  bool is_follower(std::uint32_t slot) const noexcept { return followers_[slot]; }
  void set_follower(std::uint32_t slot, bool is) noexcept { followers_[slot] = is; }
  std::span<const std::int16_t> levels() const noexcept { return levels_; }

  /// Returns the highest level; −1 while the graph is empty.
  int max_level() const noexcept { return max_level_; }
  std::uint32_t entry() const noexcept { return entry_; }
  void set_entry(std::uint32_t slot, int level) noexcept {
    entry_ = slot;
    max_level_ = level;
  }

  void reserve(std::size_t nodes);
  /// Adds a node with empty lists and returns its slot.
  std::uint32_t push(int level);

  /// Removes a node from the levels above `level`, where no link may lead to it.
  void lower(std::uint32_t slot, int level) noexcept {
    levels_[slot] = std::min(levels_[slot], static_cast<std::int16_t>(level));
  }

  std::uint32_t* list(std::uint32_t slot, int level) noexcept {
    return level == 0 ? base_.data() + slot * base_stride_
                      : upper_.data() + upper_at_[slot] + (level - 1) * (1 + connectivity_);
  }
  const std::uint32_t* list(std::uint32_t slot, int level) const noexcept {
    return const_cast<Graph*>(this)->list(slot, level);
  }
  std::span<const std::uint32_t> links(std::uint32_t slot, int level) const noexcept {
    const std::uint32_t* l = list(slot, level);
    return {l + 1, *l};
  }
  /// Replaces a list by at most capacity(level) slots. The places after them become zero.
  void set_links(std::uint32_t slot, int level, std::span<const std::uint32_t> slots) noexcept;
  /// Exchanges the two nodes of each pair, including the links from and to them. No slot may be in
  /// two pairs.
  void exchange(std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs);
  void prefetch(std::uint32_t slot) const noexcept {
    const auto* line = reinterpret_cast<const char*>(base_.data() + slot * base_stride_);
    __builtin_prefetch(line);
    __builtin_prefetch(line + 64);
    __builtin_prefetch(line + 128);
  }

 private:
  std::uint32_t connectivity_ = 0;
  std::uint32_t connectivity_base_ = 0;
  std::size_t base_stride_ = 0;
  std::vector<std::int16_t> levels_;
  std::vector<bool> followers_;
  AlignedVector<std::uint32_t> base_;  // [nodes, base_stride]
  std::vector<std::uint32_t> upper_;   // [Σ levels, 1 + connectivity]
  // For each node, where its level 1 begins in upper_: [nodes].
  std::vector<std::uint64_t> upper_at_;
  std::uint32_t entry_ = 0;
  int max_level_ = -1;
};

/// One level of a graph, as AnyLinks of index/spaces.h.
struct Links {
  Graph* graph;
  int level = 0;

  std::size_t size() const noexcept { return graph->size(); }
  std::size_t capacity() const noexcept { return graph->capacity(level); }
  std::span<const std::uint32_t> of(std::uint32_t slot) const noexcept {
    return graph->links(slot, level);
  }
  void set(std::uint32_t slot, std::span<const std::uint32_t> links) noexcept {
    graph->set_links(slot, level, links);
  }
  bool is_follower(std::uint32_t slot) const noexcept { return graph->is_follower(slot); }
  void set_follower(std::uint32_t slot, bool is) noexcept { graph->set_follower(slot, is); }
};

/// Draws the level of a node as USearch does: the greatest l for which u <= connectivity^-l, where
/// u comes from SplitMix64 in the state of its thread 0.
class LevelGenerator {
 public:
  /// `connectivity` must be at least 2.
  explicit LevelGenerator(std::uint32_t connectivity) noexcept : connectivity_(connectivity) {}
  int next() noexcept;

 private:
  std::uint64_t state_ = 0x5692161d100b05e5;
  std::uint64_t connectivity_;
};

}  // namespace embd::hnsw
