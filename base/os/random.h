#pragma once

#include <cstdint>

namespace embd::os {

/// A number that nobody outside the process can guess. Never waits. Thread-safe.
std::uint64_t random_number() noexcept;

}  // namespace embd::os
