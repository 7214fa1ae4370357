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
  std::string wrong;
  for (const KernelProfile profile : wrong_kernel_profiles()) {
    wrong += fmt::format("; not {}, because this processor computes its products wrongly",
                         name_of(profile));
  }
  return fmt::format("embd {} (kernels {}{}; {})", version(), name_of(kernels), wrong, compiler);
}

}  // namespace embd::cli
