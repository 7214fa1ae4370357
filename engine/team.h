#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "engine/kernels/kernels.h"

namespace embd {

/// Where the members of a team wait for each other. Between two steps of a layer they do so for
/// microseconds, so they spin first, and sleep where a member has lost its core.
class Meeting {
 public:
  /// Before anybody waits.
  void set_size(int size) noexcept { size_ = static_cast<std::uint32_t>(size); }
  /// Returns when all members have called it; what they wrote before is seen by all after.
  void wait() noexcept;

 private:
  std::uint32_t size_ = 1;
  std::atomic<std::uint32_t> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
};

/// One of the threads that compute the same texts, each its share of every step. As it stands: the
/// only one.
struct Member {
  int index = 0;
  int size = 1;
  Meeting* meeting = nullptr;

  void wait() const noexcept {
    if (size > 1) meeting->wait();
  }
  /// This member's part of n columns, heads or rows; it begins at a multiple of `unit`.
  kernels::Range share(std::int64_t n, std::int64_t unit = 1) const noexcept;
};

/// Calls `work` once for each of up to `size` members, at once: the first on the calling thread,
/// the others on threads that end with the call. Fewer where the system gives no threads. `work`
/// may not throw.
void run_team(int size, const std::function<void(const Member&)>& work);

}  // namespace embd
