#pragma once

#include "cli/options/values.h"
#include "cli/options/verb.h"
#include "embd/index_options.h"

namespace embd::cli {

/// How a graph is built that goes into a `.usearch` file, wherever one is written.
void add_hnsw_options(Verb& verb, IndexOptions& options);

}  // namespace embd::cli
