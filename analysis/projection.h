#pragma once

#include <stop_token>

#include "analysis/neighbour_graph.h"
#include "embd/project.h"

namespace embd {

/// Finds the neighbours by which project() lays rows out. Errors: its.
Result<NeighbourGraph> graph_to_project(MatrixView rows, const ProjectOptions& options,
                                        const std::stop_token& stop);

/// Lays out rows whose neighbours are known, as project() does. Error: cancelled.
Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop);

}  // namespace embd
