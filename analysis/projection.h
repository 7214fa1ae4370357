#pragma once

#include <stop_token>

#include "analysis/neighbour_graph.h"
#include "embd/map.h"

namespace embd {

/// Finds the neighbours by which project() places rows. Fails as project() does.
Result<NeighbourGraph> graph_to_project(MatrixView rows, const ProjectOptions& options,
                                        const std::stop_token& stop);

/// Places rows whose neighbours are known, as project() does. Fails with cancelled.
Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop);

}  // namespace embd
