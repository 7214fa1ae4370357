#pragma once

namespace embd::fuzz {

/// Ends the program if a condition does not hold, so that the fuzzer reports a failure.
inline void require(bool fact) {
  if (!fact) __builtin_trap();
}

}  // namespace embd::fuzz
