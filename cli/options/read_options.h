#pragma once

#include <CLI/CLI.hpp>

#include "embd/vectors.h"

namespace embd::cli {

/// --from, --dtype, --column, --section, --all-rows, --unnormalize: how a vector set is read.
void add_read_options(CLI::App& verb, ReadOptions& options);

}  // namespace embd::cli
