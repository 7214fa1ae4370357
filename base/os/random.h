#pragma once

#include <cstdint>

namespace embd::os {

/// Returns a number that nobody outside this process can guess. Never waits. Thread-safe.
std::uint64_t random_number() noexcept;

}  // namespace embd::os
