#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "embd/index.h"

namespace embd {

/// The rows of an index that are not removed, numbered from 0 in the order of their slots.
class SlotRows {
 public:
  /// No row is removed: each row is in the slot of its number.
  SlotRows() = default;
  /// Takes the slot of each row, ascending, as Index::slots() returns them.
  explicit SlotRows(std::vector<std::uint32_t> slots) {
    if (slots.empty() || slots.back() + std::size_t{1} == slots.size()) return;
    row_of_slot_.resize(slots.back() + std::size_t{1});
    for (std::uint32_t row = 0; row < slots.size(); ++row) row_of_slot_[slots[row]] = row;
    slot_of_row_ = std::move(slots);
  }

  /// Returns the row in a slot, which must have one.
  std::uint64_t row(std::uint32_t slot) const noexcept {
    return row_of_slot_.empty() ? slot : row_of_slot_[slot];
  }
  /// Makes a filter of these rows, which must be ascending, of `num_rows`.
  IdFilter filter(std::span<const std::uint64_t> rows, std::uint64_t num_rows) const {
    std::vector<std::uint64_t> slots(rows.begin(), rows.end());
    if (slot_of_row_.empty()) return IdFilter(std::move(slots), num_rows);
    for (std::uint64_t& slot : slots) slot = slot_of_row_[slot];
    return IdFilter(std::move(slots), row_of_slot_.size());
  }

 private:
  std::vector<std::uint32_t> slot_of_row_;  // empty, and its inverse: the same numbers
  std::vector<std::uint32_t> row_of_slot_;
};

}  // namespace embd
