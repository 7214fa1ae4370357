#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "index/distances/distance.h"

namespace embd {

/// A row of an index at a distance. Ordered by distance, then by slot.
struct Neighbour {
  float distance;
  std::uint32_t slot;
  auto operator<=>(const Neighbour&) const = default;
};

/// A row that comparing rows found, of which there may be more than an index has. Ordered likewise.
struct FoundRow {
  float distance;
  std::uint64_t slot;
  auto operator<=>(const FoundRow&) const = default;
};

/// The rows a search may return: none of `removed`, and only those of `filter` if there is one.
struct RowChoice {
  /// True for the places of removed rows, [rows]; null: none is removed.
  const std::vector<bool>* removed = nullptr;
  const IdFilter* filter = nullptr;

  bool accepts(std::uint64_t slot) const noexcept {
    return (removed == nullptr || !(*removed)[slot]) &&
           (filter == nullptr || filter->contains(slot));
  }
};

/// The rows that are searched by comparing a query with each of them. Nothing here is owned.
struct SearchedRows {
  const Distance& distance;
  StoredRows rows;
  std::size_t num_rows;
  RowChoice choice = {};
};

/// Finds the k nearest rows for each of `num_queries` queries by comparing all pairs, nearest
/// first, equal distances by slot; NaN and infinite distances are left out. The result depends
/// neither on `threads` nor on the other queries. When stopped, what it returns is of no use.
/// Errors: out_of_memory.
Result<std::vector<std::vector<FoundRow>>> exact_search(const SearchedRows& searched,
                                                        StoredRows queries, std::size_t num_queries,
                                                        std::size_t k, int threads,
                                                        std::stop_token stop = {});

/// Finds the k nearest of all rows for one query.
std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::size_t k);

/// Finds the k nearest of some rows for one query, `slots` ascending.
std::vector<FoundRow> exact_search(const SearchedRows& searched, const Distance::Query& query,
                                   std::span<const std::uint64_t> slots, std::size_t k);

}  // namespace embd
