#pragma once

#include <cerrno>

#include "base/os/outcome.h"

namespace embd::os {

/// Returns the errno of the system call before.
inline std::errc last_error() noexcept {
  return static_cast<std::errc>(errno);
}

/// Returns the outcome of a system call that has returned 0, or -1 with the reason in errno.
inline Outcome<void> outcome_of(int returned) noexcept {
  if (returned != 0) return std::unexpected(last_error());
  return {};
}

}  // namespace embd::os
