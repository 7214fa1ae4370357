#include "analysis/neighbour_graph.h"

#include <algorithm>
#include <numeric>

#include "base/try.h"
#include "index/exact.h"

namespace embd {
namespace {

/// The number of queries that are searched at a time. Their results wait in memory.
constexpr std::size_t queries_at_once = 8192;
/// The number of candidates that a search of the index keeps in addition to the requested ones.
constexpr std::uint32_t least_expansion = 128;

NeighbourGraph empty_graph(std::size_t num_queries, std::size_t num_rows, std::size_t k) {
  NeighbourGraph graph;
  graph.k = num_rows == 0 ? 0 : std::min(k, num_rows - 1);
  graph.rows.resize(num_queries * graph.k);
  graph.distances.resize(num_queries * graph.k);
  return graph;
}

/// Copies the neighbours of a row to the graph, without the row itself.
template <class Found>
void take(std::span<const Found> found, std::uint64_t own, std::size_t place,
          NeighbourGraph& graph) {
  std::size_t at = place * graph.k;
  const std::size_t end = at + graph.k;
  for (const auto& [row, distance] : found) {
    if (row == own || at == end) continue;
    graph.rows[at] = static_cast<std::uint32_t>(row);
    graph.distances[at] = distance;
    ++at;
  }
}

struct Found {
  std::uint64_t row;
  float distance;
};

/// Copies some rows, one after another.
struct PackedRows {
  Matrix rows;
  std::vector<float> inverse_norms;
};
PackedRows packed(const CosineRows& rows, std::span<const std::uint32_t> chosen) {
  PackedRows packed = {Matrix(chosen.size(), rows.dim()), {}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::ranges::copy(rows.row(chosen[i]), packed.rows.row(i).begin());
    packed.inverse_norms.push_back(rows.inverse_norm(chosen[i]));
  }
  return packed;
}

std::vector<Found> as_found(const std::vector<FoundRow>& rows) {
  std::vector<Found> found;
  for (const FoundRow& row : rows) found.push_back({row.slot, row.distance});
  return found;
}

/// Converts hits of an index whose ids are row numbers. Equal distances are sorted by row.
std::vector<Found> as_found(const std::vector<Hit>& hits) {
  std::vector<Found> found;
  for (const Hit& hit : hits) found.push_back({hit.id, hit.distance});
  std::ranges::sort(found, {}, [](const Found& f) { return std::pair(f.distance, f.row); });
  return found;
}

Result<NeighbourGraph> indexed_neighbours(const CosineRows& rows, std::size_t k, int threads,
                                          const std::stop_token& stop) {
  NeighbourGraph graph = empty_graph(rows.size(), rows.size(), k);
  const Index index =
      EMBD_TRY(Index::build(rows.view(), {}, {.metric = Metric::cos, .threads = threads}, stop));
  const SearchOptions options = {
      .expansion = std::max(least_expansion, static_cast<std::uint32_t>(2 * (graph.k + 1))),
      .threads = threads};
  std::vector<std::uint32_t> unfilled;
  for (std::size_t first = 0; first < rows.size(); first += queries_at_once) {
    const std::size_t count = std::min(queries_at_once, rows.size() - first);
    const auto found =
        EMBD_TRY(index.search(rows.view().slice(first, count), graph.k + 1, options, stop));
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<Found> of_row = as_found(found[i]);
      if (of_row.size() <= graph.k) unfilled.push_back(static_cast<std::uint32_t>(first + i));
      take<Found>(of_row, first + i, first + i, graph);
    }
  }
  if (unfilled.empty()) return graph;
  // The search ended early, which is rare. The rows are then compared one by one.
  const NeighbourGraph exact = EMBD_TRY(exact_neighbours(rows, unfilled, k, threads, stop));
  for (std::size_t i = 0; i < unfilled.size(); ++i) {
    std::ranges::copy(exact.rows_of(i),
                      graph.rows.begin() + static_cast<std::ptrdiff_t>(unfilled[i] * graph.k));
    std::ranges::copy(exact.distances_of(i),
                      graph.distances.begin() + static_cast<std::ptrdiff_t>(unfilled[i] * graph.k));
  }
  return graph;
}

}  // namespace

Result<NeighbourGraph> exact_neighbours(const CosineRows& rows,
                                        std::span<const std::uint32_t> queries, std::size_t k,
                                        int threads, const std::stop_token& stop) {
  NeighbourGraph graph = empty_graph(queries.size(), rows.size(), k);
  if (graph.k == 0) return graph;
  for (std::size_t first = 0; first < queries.size(); first += queries_at_once) {
    const auto some = queries.subspan(first, std::min(queries_at_once, queries.size() - first));
    const PackedRows query_rows = packed(rows, some);
    const StoredRows stored = {reinterpret_cast<const std::byte*>(query_rows.rows.data()),
                               sizeof(float) * rows.dim(), query_rows.inverse_norms.data()};
    const auto found = EMBD_TRY(exact_search({rows.distance(), rows.stored(), rows.size()}, stored,
                                             some.size(), graph.k + 1, threads, stop));
    if (stop.stop_requested()) return fail_stopped();
    for (std::size_t i = 0; i < some.size(); ++i)
      take<Found>(as_found(found[i]), some[i], first + i, graph);
  }
  return graph;
}

Result<NeighbourGraph> neighbour_graph(const CosineRows& rows, std::size_t k,
                                       const NeighbourOptions& options,
                                       const std::stop_token& stop) {
  if (rows.size() > options.exact_rows) return indexed_neighbours(rows, k, options.threads, stop);
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  return exact_neighbours(rows, all, k, options.threads, stop);
}

}  // namespace embd
