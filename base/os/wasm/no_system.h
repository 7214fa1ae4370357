#pragma once

#include <expected>
#include <system_error>

namespace embd::os {

/// Returns the error of a WebAssembly module where it would have to ask a system: it writes no
/// files.
inline std::unexpected<std::errc> no_system() noexcept {
  return std::unexpected(std::errc::function_not_supported);
}

}  // namespace embd::os
