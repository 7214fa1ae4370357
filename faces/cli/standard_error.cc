#include "faces/cli/standard_error.h"

#include <cstdio>

namespace embd::cli {

void print_to_standard_error(std::string_view text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace embd::cli
