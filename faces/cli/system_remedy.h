#pragma once

#include <string>

#include "embd/error.h"
#include "faces/cli/options/verb.h"

namespace embd::cli {

/// Returns what remedy_of() returns for errors of the operating system: not_found, io_failed and
/// out_of_memory.
std::string system_remedy_of(const Error& error, const Verb& verb);

}  // namespace embd::cli
