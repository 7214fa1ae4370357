#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "formats/vectors/usearch/usearch_file.h"

namespace embd::hnsw {

/// Finds the slots of ids without looking at every slot. It is a hash table with a chain of slots
/// for each hash. `keys` in all calls has the id of each slot, or removed_key for a free slot.
class SlotTable {
 public:
  /// Adds every slot of `keys` that is not free.
  void rebuild(std::span<const std::uint64_t> keys) {
    heads_.assign(std::bit_ceil(std::max<std::size_t>(64, keys.size() + keys.size() / 2)), kEnd);
    next_.assign(keys.size(), kEnd);
    for (std::size_t slot = 0; slot < keys.size(); ++slot) {
      if (keys[slot] != usearch::removed_key) link(keys, static_cast<std::uint32_t>(slot));
    }
  }

  /// Adds a slot that was free or is new.
  void add(std::span<const std::uint64_t> keys, std::uint32_t slot) {
    if (keys.size() > heads_.size()) return rebuild(keys);
    next_.resize(keys.size(), kEnd);
    link(keys, slot);
  }

  /// Returns the slots that have one of `ids`, ascending. `ids` must have no repeats.
  std::vector<std::uint32_t> slots_of(std::span<const std::uint64_t> ids,
                                      std::span<const std::uint64_t> keys) const {
    std::vector<std::uint32_t> slots;
    for (const std::uint64_t id : ids) {
      for (std::uint32_t slot = heads_[place(id)]; slot != kEnd; slot = next_[slot]) {
        if (keys[slot] == id) slots.push_back(slot);
      }
    }
    std::ranges::sort(slots);
    return slots;
  }

  /// Removes the slots that have one of `ids`, which must still be in `keys`.
  void remove(std::span<const std::uint64_t> ids, std::span<const std::uint64_t> keys) {
    for (const std::uint64_t id : ids) {
      std::uint32_t* link = &heads_[place(id)];
      while (*link != kEnd) {
        std::uint32_t& after = next_[*link];
        if (keys[*link] == id) {
          *link = after;
        } else {
          link = &after;
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  std::size_t place(std::uint64_t id) const noexcept {
    id = (id ^ (id >> 32)) * 0x9E3779B97F4A7C15;
    return (id ^ (id >> 32)) & (heads_.size() - 1);
  }
  void link(std::span<const std::uint64_t> keys, std::uint32_t slot) noexcept {
    std::uint32_t& head = heads_[place(keys[slot])];
    next_[slot] = head;
    head = slot;
  }

  // For each hash, the slot that was added last; the size is a power of two.
  std::vector<std::uint32_t> heads_;
  std::vector<std::uint32_t> next_;  // The next slot of the chain that each slot is in: [slots].
};

}  // namespace embd::hnsw
