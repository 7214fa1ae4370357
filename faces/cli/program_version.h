#pragma once

#include <string>

#include "embd/error.h"

namespace embd::cli {

/// Returns the text of --version, such as "embd 0.1.0 (kernels avx512; gcc 12.2.0)". It also
/// names the sets of kernels that are not used because this processor computes their products
/// wrongly. Fails with invalid_argument if EMBD_KERNELS names no set of kernels.
Result<std::string> program_version();

}  // namespace embd::cli
