#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "engine/kernels/kernels.h"

namespace embd {

/// A number whose change threads wait for. The wait() of std::atomic would do, but where the system
/// has no futex, as on Windows, that of GCC 12 can sleep through a change.
class AwaitedNumber {
 public:
  std::uint32_t load() const noexcept { return value_.load(std::memory_order_acquire); }
  /// Changes the number and wakes all who wait.
  void store(std::uint32_t value) noexcept;
  /// Returns when the number is no longer `old`. It spins for about 50 microseconds before it
  /// sleeps.
  void await_change(std::uint32_t old) noexcept;

 private:
  std::atomic<std::uint32_t> value_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// A barrier for the members of a team. Between two steps of a layer they wait only microseconds,
/// so they spin first; they sleep if a member has lost its core.
class Barrier {
 public:
  /// Returns when all `size` members have called it. Everything that they wrote before is then
  /// visible to all.
  void wait(int size) noexcept;

 private:
  std::atomic<std::uint32_t> arrived_ = 0;
  AwaitedNumber round_;
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
