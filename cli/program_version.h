#pragma once

#include <string>

#include "embd/error.h"

namespace embd::cli {

/// "embd 0.1.0 (kernels avx512; gcc 12.2.0)". invalid_argument where EMBD_KERNELS names none.
Result<std::string> program_version();

}  // namespace embd::cli
