#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/kernels/kernels.h"

namespace embd {

/// A barrier for the members of a team. Between two steps of a layer they wait for microseconds, so
/// they spin first, and sleep where a member has lost its core.
class Barrier {
 public:
  /// Returns when all `size` members have called it; what they wrote before is seen by all after.
  void wait(int size) noexcept;

 private:
  std::atomic<std::uint32_t> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

/// One of the threads that compute the same texts, each its share of every step. By default it is
/// the only one.
struct TeamMember {
  int index = 0;
  int size = 1;
  Barrier* barrier = nullptr;

  void wait() const noexcept {
    if (size > 1) barrier->wait(size);
  }
  /// This member's part of n columns, heads or rows; it begins at a multiple of `unit`.
  kernels::Range share(std::int64_t n, std::int64_t unit = 1) const noexcept;
};

/// Calls `work` once for each of up to `size` members, at once: the first on the calling thread,
/// the others on threads that end with the call or, where team follows team (decision 020), on
/// those that OpenMP keeps. Fewer where there are no more threads to be had. `work` may not throw.
void run_team(int size, const std::function<void(const TeamMember&)>& work);

}  // namespace embd
