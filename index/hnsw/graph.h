#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_buffer.h"

namespace embd::hnsw {

/// The links of a hierarchical graph. A list is its count followed by all its places, used or not;
/// so lists are kept as USearch's files hold them. Level 0 of all nodes lies in one array, each
/// list beginning a cache line; the few higher levels of a node follow one another in another
/// array.
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
  /// Whether a node hangs in the chain of another at its position (index/chain.h).
  bool is_follower(std::uint32_t slot) const noexcept { return followers_[slot]; }
  void set_follower(std::uint32_t slot, bool is) noexcept { followers_[slot] = is; }
  std::span<const std::int16_t> levels() const noexcept { return levels_; }

  /// −1 while the graph is empty.
  int max_level() const noexcept { return max_level_; }
  std::uint32_t entry() const noexcept { return entry_; }
  void set_entry(std::uint32_t slot, int level) noexcept {
    entry_ = slot;
    max_level_ = level;
  }

  void reserve(std::size_t nodes);
  /// Adds a node with empty lists; returns its slot.
  std::uint32_t push(int level);

  /// Takes a node out of the levels above `level`, where no link may lead to it.
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
  /// Replaces a list, at most capacity(level) slots; what was behind them becomes zero.
  void set_links(std::uint32_t slot, int level, std::span<const std::uint32_t> slots) noexcept;
  /// Lets the two nodes of each pair take each other's place, links from and to them included. No
  /// slot is in two pairs.
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
  AlignedVector<std::uint32_t> base_;    // [nodes, base_stride]
  std::vector<std::uint32_t> upper_;     // [Σ levels, 1 + connectivity]
  std::vector<std::uint64_t> upper_at_;  // [nodes], where a node's level 1 begins
  std::uint32_t entry_ = 0;
  int max_level_ = -1;
};

/// One level of a graph: AnyLinks (index/concepts.h).
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

/// USearch's draw of a node's level, the greatest l for which u <= connectivity^-l; u comes from
/// SplitMix64, from the state of its thread 0.
class LevelGenerator {
 public:
  /// `connectivity`: 2 or more.
  explicit LevelGenerator(std::uint32_t connectivity) noexcept : connectivity_(connectivity) {}
  int next() noexcept;

 private:
  std::uint64_t state_ = 0x5692161d100b05e5;
  std::uint64_t connectivity_;
};

}  // namespace embd::hnsw
