#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace embd {

/// Disjoint sets of rows, which can be united. The smallest row of a set represents it. Not
/// thread-safe.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t num_rows) : parents_(num_rows) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }

  /// Returns the smallest row of the set that contains `row`.
  std::uint32_t find(std::uint32_t row) noexcept {
    while (parents_[row] != row) {
      parents_[row] = parents_[parents_[row]];
      row = parents_[row];
    }
    return row;
  }
  /// Unites the sets of two rows. Returns false if they were in the same set already.
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
