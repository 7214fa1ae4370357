#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "base/parallel.h"
#include "base/try.h"
#include "embd/index.h"

// Searches over several indexes or sets of rows as if they were one.
namespace embd {

/// Returns the k nearest hits of `lists`, which are moved from. At equal distances, hits of earlier
/// lists come first, and hits of a list keep their order.
template <class Hit>
std::vector<Hit> merge_nearest(std::vector<std::vector<Hit>> lists, std::size_t k) {
  std::vector<Hit> all;
  for (std::vector<Hit>& list : lists) std::ranges::move(list, std::back_inserter(all));
  std::ranges::stable_sort(all, {}, &Hit::distance);
  if (all.size() > k) all.resize(k);
  return all;
}

/// Calls search(shard, options), which returns a list of hits for each of `num_queries` queries,
/// for every shard, and merges the lists. If `walks_graphs` is true, searching for one query
/// occupies one thread, so a few queries are sent to several shards at the same time. Returns the
/// first error. For a single shard, the lists are returned unchanged.
template <class Hit, class Search>
Result<std::vector<std::vector<Hit>>> search_and_merge(std::size_t num_shards,
                                                       std::size_t num_queries, std::size_t k,
                                                       const SearchOptions& options,
                                                       bool walks_graphs, const Search& search) {
  if (num_shards == 1) return search(0, options);
  SearchOptions of_shard = options;
  const int threads = threads_for(options.threads);
  of_shard.threads = threads;
  int at_once = 1;
  if (walks_graphs && num_queries < static_cast<std::size_t>(threads)) {
    at_once = threads;
    of_shard.threads = 1;
  }
  std::vector<std::vector<std::vector<Hit>>> found(num_shards);
  EMBD_TRY(parallel_for(num_shards, at_once, [&](std::size_t shard) -> Result<void> {
    found[shard] = EMBD_TRY(search(shard, of_shard));
    return {};
  }));
  std::vector<std::vector<Hit>> merged(num_queries);
  for (std::size_t query = 0; query < num_queries; ++query) {
    std::vector<std::vector<Hit>> lists;
    for (auto& of_queries : found) lists.push_back(std::move(of_queries[query]));
    merged[query] = merge_nearest(std::move(lists), k);
  }
  return merged;
}

}  // namespace embd
