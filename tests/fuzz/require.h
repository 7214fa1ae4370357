#pragma once

namespace embd::fuzz {

/// Ends the program where the fuzzer sees it.
inline void require(bool fact) {
  if (!fact) __builtin_trap();
}

}  // namespace embd::fuzz
