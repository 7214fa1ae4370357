#include "cli/program_version.h"

#include <fmt/format.h>

#include "embd/version.h"
#include "engine/kernels/kernels.h"

namespace embd::cli {

std::string program_version() {
  const kernels::Kernels* chosen = kernels::choose_kernels();
#ifdef __clang__
  constexpr const char* compiler = "clang " __clang_version__;
#else
  constexpr const char* compiler = "gcc " __VERSION__;
#endif
  return fmt::format("embd {} (kernels {}; {})", version(),
                     chosen != nullptr ? chosen->name : "none: EMBD_KERNELS names no usable ones",
                     compiler);
}

}  // namespace embd::cli
