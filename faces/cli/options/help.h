#pragma once

#include <string>

#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Returns how a verb is called: "embd index VECTORS -o OUT [OPTION ...]".
std::string usage_of(const Verb& verb);

/// Returns the text of `--help`: the options that most people need first, then all others by
/// purpose.
std::string help_of(const Verb& verb);

}  // namespace embd::cli
