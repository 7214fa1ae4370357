#pragma once

#include "embd/vectors.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Adds the options for reading a vector set: --from, --dtype, --column, --section, --all-rows and
/// --unnormalize.
void add_read_options(Verb& verb, ReadOptions& options);

}  // namespace embd::cli
