#pragma once

#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Adds `embd model get` to `embd model`.
void add_model_get(Verb& model);

}  // namespace embd::cli
