#pragma once

#include <stop_token>

#include "analysis/neighbour_graph.h"
#include "embd/project.h"

namespace embd {

/// Projects rows whose neighbours are known, as project() does; `options.neighbours` is the graph's
/// k, and `options.threads` at least 1. Error: cancelled.
Result<Matrix> project_graph(MatrixView rows, const NeighbourGraph& graph,
                             const ProjectOptions& options, const std::stop_token& stop);

}  // namespace embd
