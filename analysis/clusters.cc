#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/blocks.h"
#include "analysis/centers.h"
#include "analysis/density_groups.h"
#include "analysis/kmeans.h"
#include "analysis/neighbour_graph.h"
#include "base/parallel.h"
#include "base/try.h"
#include "embd/cluster.h"

namespace embd {
namespace {

/// The smallest number of neighbours of each row. With fewer of them, the spanning tree would have
/// to be searched row by row.
constexpr std::size_t least_neighbours = 16;

Result<std::vector<std::int32_t>> kmeans_groups(const CosineRows& rows,
                                                const ClusterOptions& options, int threads,
                                                const std::stop_token& stop) {
  KMeansOptions kmeans_options = {.k = options.k, .seed = options.seed, .threads = threads};
  if (options.k > rows.size()) {
    return fail(ErrorCode::invalid_argument,
                "{} groups were asked for, but there are only {} rows: ask for at most as many "
                "groups as rows",
                options.k, rows.size());
  }
  if (rows.size() == 0) return std::vector<std::int32_t>();
  if (options.k == 0) kmeans_options.k = EMBD_TRY(choose_k(rows, kmeans_options, stop));
  const KMeans found = EMBD_TRY(kmeans(rows, kmeans_options, stop));
  const auto& groups = found.assignment.groups;
  return std::vector<std::int32_t>(groups.begin(), groups.end());
}

Result<std::vector<std::int32_t>> dense_groups(const CosineRows& rows,
                                               const ClusterOptions& options, int threads,
                                               const std::stop_token& stop) {
  if (options.min_size < 2) {
    return fail(ErrorCode::invalid_argument,
                "min_size, the least number of rows in a group, is {}, expected at least 2",
                options.min_size);
  }
  const std::size_t min_samples = options.min_samples != 0 ? options.min_samples : options.min_size;
  const NeighbourGraph graph =
      EMBD_TRY(neighbour_graph(rows, std::max(least_neighbours, min_samples - 1),
                               {.exact_rows = options.exact_rows, .threads = threads}, stop));
  const bool is_exact = rows.size() <= options.exact_rows;
  const std::vector<TreeLink> tree =
      EMBD_TRY(spanning_tree(rows, graph, min_samples, is_exact, threads, stop));
  return density_groups(tree, rows.size(), options.min_size);
}

/// Numbers groups anew, the largest first, equally large ones by their first row. Returns the
/// number of groups.
std::size_t number_by_size(std::vector<std::int32_t>& groups) {
  struct Group {
    std::uint64_t size = 0;
    std::size_t first_row = 0;
    std::int32_t number = 0;
  };
  std::vector<Group> all;
  for (std::size_t row = 0; row < groups.size(); ++row) {
    if (groups[row] == no_group) continue;
    const auto group = static_cast<std::size_t>(groups[row]);
    while (all.size() <= group) all.push_back({.number = static_cast<std::int32_t>(all.size())});
    if (all[group].size++ == 0) all[group].first_row = row;
  }
  std::ranges::sort(all, [](const Group& a, const Group& b) {
    return a.size != b.size ? a.size > b.size : a.first_row < b.first_row;
  });
  std::vector<std::int32_t> numbers(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    numbers[static_cast<std::size_t>(all[i].number)] = static_cast<std::int32_t>(i);
  for (std::int32_t& group : groups)
    if (group != no_group) group = numbers[static_cast<std::size_t>(group)];
  return all.size();
}

/// Computes the distance of each row from the center of its group, or from the nearest center if it
/// is in no group.
Result<void> measure(const CosineRows& rows, int threads, Clusters& clusters) {
  const std::size_t num_groups = clusters.centers.rows();
  clusters.distances.assign(rows.size(), std::numeric_limits<float>::quiet_NaN());
  if (num_groups == 0) return {};
  const CosineRows centers = EMBD_TRY(CosineRows::create(clusters.centers, 1));
  const Assignment nearest = EMBD_TRY(assign_rows(rows, clusters.centers, threads));
  EMBD_TRY(for_blocks(rows.size(), threads, [&](Block block) -> Result<void> {
    for (std::size_t row = block.first; row < block.end; ++row) {
      const std::int32_t group = clusters.groups[row];
      clusters.distances[row] =
          group == no_group ? nearest.distances[row]
                            : rows.distance()(rows.distance().query(rows.stored(), row),
                                              centers.stored(), static_cast<std::uint32_t>(group));
    }
    return {};
  }));
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (clusters.groups[row] != no_group)
      clusters.inertia += static_cast<double>(clusters.distances[row]);
  return {};
}

/// Ranks the rows of each group by their distances, and so the rows in no group.
void rank(Clusters& clusters) {
  std::vector<std::uint32_t> rows(clusters.groups.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    if (clusters.groups[a] != clusters.groups[b]) return clusters.groups[a] < clusters.groups[b];
    if (clusters.distances[a] < clusters.distances[b]) return true;
    if (clusters.distances[b] < clusters.distances[a]) return false;
    return a < b;
  });
  clusters.places.resize(rows.size());
  for (std::size_t i = 0, first = 0; i < rows.size(); ++i) {
    if (clusters.groups[rows[i]] != clusters.groups[rows[first]]) first = i;
    clusters.places[rows[i]] = i - first;
  }
}

Result<Clusters> described(const CosineRows& rows, std::vector<std::int32_t> groups, int threads) {
  Clusters clusters;
  clusters.groups = std::move(groups);
  const std::size_t num_groups = number_by_size(clusters.groups);
  const Members members = members_of(std::span<const std::int32_t>(clusters.groups), num_groups);
  for (std::size_t g = 0; g < num_groups; ++g) clusters.sizes.push_back(members.of(g).size());
  std::vector<double> sums(num_groups * rows.dim());
  EMBD_TRY(add_members(rows, members, threads, sums));
  Matrix first_rows(num_groups, rows.dim());
  for (std::size_t g = 0; g < num_groups; ++g)
    std::ranges::copy(rows.row(members.of(g).front()), first_rows.row(g).begin());
  clusters.centers = directions_of(sums, first_rows);
  EMBD_TRY(measure(rows, threads, clusters));
  rank(clusters);
  return clusters;
}

}  // namespace

Result<Clusters> cluster_rows(MatrixView matrix, const ClusterOptions& options,
                              std::stop_token stop) {
  return guarded([&]() -> Result<Clusters> {
    const int threads = threads_for(options.threads);
    const CosineRows rows = EMBD_TRY(CosineRows::create(matrix, threads));
    auto groups = EMBD_TRY(options.method == ClusterMethod::density
                               ? dense_groups(rows, options, threads, stop)
                               : kmeans_groups(rows, options, threads, stop));
    return described(rows, std::move(groups), threads);
  });
}

}  // namespace embd
