#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "embd/vectors.h"

namespace embd {

/// Finds rows by their ids without a look at every row: a hash table with a chain of rows for each
/// hash. Takes up to 24 bytes a row, and none where row numbers stand for ids.
class RowsById {
 public:
  /// `ids` must outlive this.
  RowsById(const Ids& ids, std::uint64_t num_rows);

  /// The rows whose id is one of `wanted`, numbers in decimal digits; ascending, each once.
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
