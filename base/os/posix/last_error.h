#pragma once

#include <cerrno>

#include "base/os/outcome.h"

namespace embd::os {

/// errno of the call before.
inline std::errc last_error() noexcept {
  return static_cast<std::errc>(errno);
}

/// The outcome of a call that returns 0, or -1 and errno.
inline Outcome<void> outcome_of(int returned) noexcept {
  if (returned != 0) return std::unexpected(last_error());
  return {};
}

}  // namespace embd::os
