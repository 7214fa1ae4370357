#include "index/shards.h"

#include <fmt/format.h>

#include "base/guard.h"

namespace embd {
namespace {

template <class Queries>
Result<std::vector<std::vector<Hit>>> search_all(std::span<const IndexShard> shards,
                                                 const Queries& queries, std::size_t num_queries,
                                                 std::size_t k, const SearchOptions& options,
                                                 const std::stop_token& stop) {
  return guarded([&]() -> Result<std::vector<std::vector<Hit>>> {
    if (shards.empty())
      return fail(ErrorCode::invalid_argument,
                  "no index was given to search, expected at least one");
    const Metric metric = shards[0].index->info().metric;
    for (std::size_t s = 1; s < shards.size(); ++s) {
      if (shards[s].index->info().metric == metric) continue;
      return fail(ErrorCode::invalid_argument,
                  fmt::format("index {} has the metric {}, but the first index has the metric {}, "
                              "expected one metric for all",
                              s, metric_name(shards[s].index->info().metric), metric_name(metric)));
    }
    return search_and_merge<Hit>(shards.size(), num_queries, k, options,
                                 /*walks_graphs=*/!options.exact,
                                 [&](std::size_t s, SearchOptions of_shard) {
                                   of_shard.filter = shards[s].filter;
                                   return shards[s].index->search(queries, k, of_shard, stop);
                                 });
  });
}

}  // namespace

Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    MatrixView queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) {
  return search_all(shards, queries, queries.rows(), k, options, stop);
}

Result<std::vector<std::vector<Hit>>> search_shards(std::span<const IndexShard> shards,
                                                    PackedBits queries, std::size_t k,
                                                    const SearchOptions& options,
                                                    std::stop_token stop) {
  return search_all(shards, queries, queries.rows, k, options, stop);
}

}  // namespace embd
