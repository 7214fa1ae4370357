#pragma once

#include <CLI/CLI.hpp>

#include "embd/index_options.h"

namespace embd::cli {

/// How a graph is built that goes into a `.usearch` file, wherever one is written.
void add_hnsw_options(CLI::App& verb, IndexOptions& options);

}  // namespace embd::cli
