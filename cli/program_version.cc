#include "cli/program_version.h"

#include <fmt/format.h>

#include "base/kernel_profile.h"
#include "embd/version.h"

namespace embd::cli {

std::string program_version() {
  const Result<KernelProfile> kernels = choose_kernel_profile();
#ifdef __clang__
  constexpr const char* compiler = "clang " __clang_version__;
#else
  constexpr const char* compiler = "gcc " __VERSION__;
#endif
  return fmt::format(
      "embd {} (kernels {}; {})", version(),
      kernels ? std::string(name_of(*kernels)) : "none: " + kernels.error().message(), compiler);
}

}  // namespace embd::cli
