#pragma once

#include "embd/index_options.h"
#include "faces/cli/options/values.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Adds the options for building the HNSW graph of a `.usearch` file. All verbs that can write such
/// a file have them.
void add_hnsw_options(Verb& verb, IndexOptions& options);

}  // namespace embd::cli
