#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "index/distances/distance.h"

namespace embd {

/// A row of an index and its distance. Ordered by distance, then by slot.
struct Neighbour {
  float distance;
  std::uint32_t slot;
  auto operator<=>(const Neighbour&) const = default;
};

/// A row that an exact search found, for sets that may have more rows than an index. Ordered by
/// distance, then by slot.
struct FoundRow {
  float distance;
  std::uint64_t slot;
  auto operator<=>(const FoundRow&) const = default;
};

/// The rows that a search may return: no row in `removed` and, if there is a filter, only rows that
/// it contains.
struct RowChoice {
  /// For each row, [rows], true if it is removed; null if none is removed.
  const std::vector<bool>* removed = nullptr;
  const IdFilter* filter = nullptr;

  bool accepts(std::uint64_t slot) const noexcept {
    return (removed == nullptr || !(*removed)[slot]) &&
           (filter == nullptr || filter->contains(slot));
  }
};

/// Rows that lie one after the other in memory. Rows from number `first` on are rows 0, 1, … of
/// `rows`, up to the first row of the next piece.
struct RowPiece {
  std::uint64_t first = 0;
  StoredRows rows;
};

/// The rows to be searched by comparing a query with each of them. All members belong to the
/// caller.
struct SearchedRows {
  const Distance& distance;
  StoredRows rows;
  std::size_t num_rows;
  RowChoice choice = {};
  /// If it is not empty, the rows are here and not in `rows`. The first piece begins with row 0.
  std::span<const RowPiece> pieces = {};
};

/// Finds the k nearest rows of each of `num_queries` queries by comparing all pairs: nearest first,
/// at equal distances by slot. Rows at a NaN or infinite distance are left out. The result depends
/// neither on `threads` nor on the other queries. After a stop request, the result is meaningless.
/// Fails with out_of_memory.
Result<std::vector<std::vector<FoundRow>>> exact_search(const SearchedRows& searched,
                                                        StoredRows queries, std::size_t num_queries,
                                                        std::size_t k, int threads,
                                                        std::stop_token stop = {});

/// Finds the k nearest of all rows for one query, by comparing the query with each row.
std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::size_t k);

/// Finds the k nearest of some rows for one query. `slots` must be ascending.
std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::span<const std::uint64_t> slots, std::size_t k);

}  // namespace embd
