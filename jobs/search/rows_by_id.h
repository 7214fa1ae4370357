#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"

namespace embd {

/// Finds rows by their ids without looking at every row. It is a hash table with a chain of rows
/// for each hash, which takes up to 24 bytes for each row, and nothing if row numbers stand for
/// ids.
class RowsById {
 public:
  /// `ids` must outlive this object.
  RowsById(const Ids& ids, std::uint64_t num_rows);

  /// Returns the rows whose id is one of `wanted`, ascending and without repeats. Ids that are
  /// numbers are written in decimal digits.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> wanted) const;

 private:
  static constexpr std::uint64_t end = ~std::uint64_t{0};

  void add_rows_of(std::string_view wanted, std::vector<std::uint64_t>& rows) const;

  const Ids& ids_;
  std::uint64_t num_rows_;
  std::vector<std::uint64_t> heads_;  // [a power of two], the last row with that hash, or end
  std::vector<std::uint64_t> next_;   // [rows], the row before it with the same hash, or end
};

}  // namespace embd
