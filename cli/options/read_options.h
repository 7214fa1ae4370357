#pragma once

#include "cli/options/verb.h"
#include "embd/vectors.h"

namespace embd::cli {

/// --from, --dtype, --column, --section, --all-rows, --unnormalize: how a vector set is read.
void add_read_options(Verb& verb, ReadOptions& options);

}  // namespace embd::cli
