#include "engine/encoder/team.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace embd {
namespace {

/// Returns when `value` is no longer `old`. It spins for about 50 microseconds before it sleeps.
/// That is longer than a step of a short text takes, and shorter than the system needs to wake a
/// thread twice.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) noexcept {
  constexpr int looks = 2000;
  for (int i = 0; i < looks; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (value.load(std::memory_order_acquire) == old) {
    value.wait(old, std::memory_order_acquire);
  }
}

/// Calls work(index, members) for each member, all at the same time, on threads that end with the
/// call.
void run_on_threads(std::size_t wanted, const std::function<void(std::size_t, std::size_t)>& work) {
  std::atomic<std::uint32_t> members = 0;  // 0 until all threads have started.
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < wanted; ++index) {
    const auto join_in = [&, index] {
      await_change(members, 0);
      work(index, members.load());
    };
    if (!start_thread(threads, join_in)) break;
  }
  const auto started = static_cast<std::uint32_t>(threads.size()) + 1;
  members.store(started, std::memory_order_release);
  members.notify_all();
  work(0, started);
}

}  // namespace

void Barrier::wait(int size) noexcept {
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(size)) {
    await_change(round_, round);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  round_.store(round + 1, std::memory_order_release);
  round_.notify_all();
}

kernels::Range TeamMember::share(std::int64_t n, std::int64_t unit) const noexcept {
  const std::int64_t units = (n + unit - 1) / unit;
  const auto at = [&](int i) { return std::min(n, units * i / size * unit); };
  return {at(index), at(index + 1)};
}

void run_team(int size, const std::function<void(const TeamMember&)>& work) {
  if (size <= 1) return work({});
  Barrier barrier;
  const auto join_in = [&](std::size_t index, std::size_t members) {
    work({static_cast<int>(index), static_cast<int>(members), &barrier});
  };
  const auto wanted = static_cast<std::size_t>(size);
  if (follows_at_once() && run_on_openmp(wanted, join_in)) return;
  run_on_threads(wanted, join_in);
  note_end();
}

}  // namespace embd
