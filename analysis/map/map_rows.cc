#include <algorithm>

#include "analysis/cosine_rows.h"
#include "analysis/neighbour_graph.h"
#include "analysis/projection.h"
#include "base/guard.h"
#include "base/os/cpu.h"
#include "base/try.h"
#include "embd/map.h"

namespace embd {

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

}  // namespace embd
