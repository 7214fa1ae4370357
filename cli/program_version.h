#pragma once

#include <string>

namespace embd::cli {

/// "embd 0.1.0 (kernels avx512; gcc 12.2.0)".
std::string program_version();

}  // namespace embd::cli
