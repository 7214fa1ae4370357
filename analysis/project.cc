#include "embd/map.h"

#include <cmath>

#include "analysis/cosine_rows.h"
#include "analysis/layout.h"
#include "analysis/neighbour_graph.h"
#include "analysis/principal_components.h"
#include "analysis/projection.h"
#include "analysis/seeded_random.h"
#include "base/guard.h"
#include "base/os/cpu.h"

namespace embd {
namespace {

/// The spread of the initial places along the longer axis. It is about that of the final places.
constexpr double first_spread = 5;
/// The greatest initial distance of equal rows. They begin at different places, because no force
/// could part them otherwise.
constexpr double jitter = 1e-3;

int threads_of(const ProjectOptions& options) {
  return options.threads > 0 ? options.threads : available_threads();
}

/// Returns the principal components, scaled to the spread that the forces are made for.
Places first_places(MatrixView rows) {
  const auto axes = principal_components(rows);
  double squares = 0;
  for (const float place : axes[0]) squares += static_cast<double>(place) * place;
  const double spread = std::sqrt(squares / static_cast<double>(rows.rows()));
  const double scale = spread > 1e-9 ? first_spread / spread : 0;
  Random random(0);
  Places places = {axes[0], axes[1]};
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    for (float* place : {&places.x[row], &places.y[row]})
      *place = static_cast<float>(*place * scale + jitter * (random.real() - 0.5));
  }
  return places;
}

}  // namespace

Result<NeighbourGraph> graph_to_project(MatrixView rows, const ProjectOptions& options,
                                        const std::stop_token& stop) {
  if (options.neighbours == 0 || options.epochs == 0)
    return fail(
        ErrorCode::invalid_argument,
        "neighbours or epochs is 0 in the options of the projection, expected at least 1 for each");
  const int threads = threads_of(options);
  const CosineRows cosine_rows = EMBD_TRY(CosineRows::create(rows, threads));
  return neighbour_graph(cosine_rows, options.neighbours, {.threads = threads}, stop);
}

Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop) {
  Matrix plane(rows.rows(), 2);
  if (rows.rows() < 2) return plane;
  Places places = first_places(rows);
  EMBD_TRY(lay_out(EdgeLists(graph), {.epochs = options.epochs, .threads = threads_of(options)},
                   stop, places));
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    plane.row(row)[0] = places.x[row];
    plane.row(row)[1] = places.y[row];
  }
  return plane;
}

Result<Matrix> project(MatrixView rows, const ProjectOptions& options, std::stop_token stop) {
  return guarded([&]() -> Result<Matrix> {
    const NeighbourGraph graph = EMBD_TRY(graph_to_project(rows, options, stop));
    return project_graph(rows, graph, options, stop);
  });
}

}  // namespace embd
