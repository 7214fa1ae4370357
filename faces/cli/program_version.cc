#include "faces/cli/program_version.h"

#include <fmt/format.h>

#include "base/kernel_profile.h"
#include "base/try.h"
#include "embd/version.h"

namespace embd::cli {

Result<std::string> program_version() {
  const KernelProfile kernels = EMBD_TRY(choose_kernel_profile());
#ifdef __clang__
  constexpr const char* compiler = "clang " __clang_version__;
#else
  constexpr const char* compiler = "gcc " __VERSION__;
#endif
  return fmt::format("embd {} (kernels {}; {})", version(), name_of(kernels), compiler);
}

}  // namespace embd::cli
