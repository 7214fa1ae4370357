#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "embd/error.h"

namespace embd::cli {

/// remedy_of() where the system refused something: not_found, io_failed, out_of_memory.
std::string system_remedy_of(const Error& error, const CLI::App& verb);

}  // namespace embd::cli
