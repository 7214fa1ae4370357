#pragma once

#include <string>

#include "cli/options/verb.h"
#include "embd/error.h"

namespace embd::cli {

/// remedy_of() where the system refused something: not_found, io_failed, out_of_memory.
std::string system_remedy_of(const Error& error, const Verb& verb);

}  // namespace embd::cli
