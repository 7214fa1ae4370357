#pragma once

#include "cli/options/values.h"
#include "cli/options/verb.h"
#include "embd/index_options.h"

namespace embd::cli {

/// Adds the options for building the HNSW graph of a `.usearch` file. All verbs that can write such
/// a file have them.
void add_hnsw_options(Verb& verb, IndexOptions& options);

}  // namespace embd::cli
