#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace embd {

/// Sets of rows that are put together two by two. The least row of a set stands for it. Not
/// thread-safe.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t num_rows) : parents_(num_rows) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }

  /// Returns the least row of the set that `row` is in.
  std::uint32_t find(std::uint32_t row) noexcept {
    while (parents_[row] != row) {
      parents_[row] = parents_[parents_[row]];
      row = parents_[row];
    }
    return row;
  }
  /// Puts the sets of two rows together; false if they were one already.
  bool unite(std::uint32_t a, std::uint32_t b) noexcept {
    a = find(a);
    b = find(b);
    if (a == b) return false;
    parents_[std::max(a, b)] = std::min(a, b);
    return true;
  }

 private:
  std::vector<std::uint32_t> parents_;
};

}  // namespace embd
