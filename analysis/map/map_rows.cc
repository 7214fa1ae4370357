#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/cosine_rows.h"
#include "analysis/neighbour_graph.h"
#include "base/os/cpu.h"
#include "base/try.h"
#include "embd/map.h"

namespace embd {
namespace {

constexpr std::size_t words_of_name = 3;

std::string name_of(const GroupName& group, std::size_t number) {
  return group.words.empty() ? fmt::format("group {}", number)
                             : fmt::format("{}", fmt::join(group.words, ", "));
}

}  // namespace

Result<RowMap> map_rows(MatrixView rows, const MapOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<RowMap> {
    const NeighbourGraph graph = EMBD_TRY(graph_to_project(rows, options.project, stop));
    RowMap map = {.places = EMBD_TRY(project_graph(rows, graph, options.project, stop))};
    map.num_nearest = static_cast<std::uint32_t>(std::min<std::size_t>(options.nearest, graph.k));
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const auto nearest = graph.rows_of(row).first(map.num_nearest);
      map.nearest.insert(map.nearest.end(), nearest.begin(), nearest.end());
      for (const float distance : graph.distances_of(row).first(map.num_nearest))
        map.similarities.push_back(1 - distance);
    }
    return map;
  });
}

std::uint32_t usual_groups(std::uint64_t num_rows) noexcept {
  if (num_rows < 12) return 0;
  const double root = std::sqrt(static_cast<double>(num_rows));
  return static_cast<std::uint32_t>(std::clamp(root / 3, 2.0, 40.0));
}

Result<void> group_map(RowMap& map, MatrixView rows, const ClusterOptions& options,
                       std::stop_token stop) {
  Clusters clusters = EMBD_TRY(cluster_rows(rows, options, stop));
  const std::vector<std::string_view> texts(map.texts.begin(), map.texts.end());
  const std::vector<GroupName> names = EMBD_TRY(name_groups(clusters, texts, words_of_name, 1));
  map.group_names.clear();
  for (const GroupName& name : names)
    map.group_names.push_back(name_of(name, map.group_names.size() + 1));
  map.groups = std::move(clusters.groups);
  map.grouped_by.clear();
  map.is_scale = false;
  return {};
}

}  // namespace embd
