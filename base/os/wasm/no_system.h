#pragma once

#include <expected>
#include <system_error>

namespace embd::os {

/// Returns the error for an operation that needs an operating system, such as writing a file, which
/// a WebAssembly module does not have.
inline std::unexpected<std::errc> no_system() noexcept {
  return std::unexpected(std::errc::function_not_supported);
}

}  // namespace embd::os
