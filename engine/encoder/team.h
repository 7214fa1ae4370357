#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/kernels/kernels.h"

namespace embd {

/// A barrier for the members of a team. Between two steps of a layer they wait only microseconds,
/// so they spin first; they sleep if a member has lost its core.
class Barrier {
 public:
  /// Returns when all `size` members have called it. Everything that they wrote before is then
  /// visible to all.
  void wait(int size) noexcept;

 private:
  std::atomic<std::uint32_t> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

/// One of the threads that compute the same texts together, each doing its share of every step. By
/// default, a team has one member.
struct TeamMember {
  int index = 0;
  int size = 1;
  Barrier* barrier = nullptr;

  void wait() const noexcept {
    if (size > 1) barrier->wait(size);
  }
  /// Returns this member's share of n columns, heads or rows. It begins at a multiple of `unit`.
  kernels::Range share(std::int64_t n, std::int64_t unit = 1) const noexcept;
};

/// Calls `work` once for each of up to `size` members, all at the same time: for the first on the
/// calling thread, for the others on new threads, which end with the call, or on the threads that
/// OpenMP keeps if teams follow each other closely (decision 020). There are fewer members if the
/// system gives fewer threads. `work` must not throw.
void run_team(int size, const std::function<void(const TeamMember&)>& work);

}  // namespace embd
