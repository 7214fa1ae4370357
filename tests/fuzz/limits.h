#pragma once

#include <sys/resource.h>

#include <chrono>

#include "tests/fuzz/require.h"

// GCC defines macros for its sanitizers, and Clang has features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EMBD_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EMBD_SANITIZED
#endif
#endif

namespace embd::fuzz {

/// Limits the memory of the process, so that a count that is believed too early ends in the error
/// out_of_memory instead of taking the machine. AddressSanitizer has a limit of its own
/// (-rss_limit_mb).
inline void limit_memory([[maybe_unused]] rlim_t bytes) {
#ifndef EMBD_SANITIZED
  const rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
  ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

/// Ends the program if it lives longer than an input may take. The limit is far above what good
/// inputs take, because machines are busy and sanitizers slow.
class TimeLimit {
 public:
  explicit TimeLimit(std::chrono::seconds limit) : end_(Clock::now() + limit) {}
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() { require(Clock::now() < end_); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace embd::fuzz
