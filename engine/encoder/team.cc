#include "engine/encoder/team.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "base/parallel.h"

namespace embd {
void AwaitedNumber::store(std::uint32_t value) noexcept {
  {
    const std::lock_guard lock(mutex_);
    value_.store(value, std::memory_order_release);
  }
  changed_.notify_all();
}

void AwaitedNumber::await_change(std::uint32_t old) noexcept {
  // This is longer than a step of a short text takes, and shorter than the system needs to wake a
  // thread twice.
  constexpr int looks = 2000;
  for (int i = 0; i < looks; ++i) {
    if (load() != old) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return load() != old; });
}

namespace {

/// Calls work(index, members) for each member, all at the same time, on threads that end with the
/// call.
void run_on_threads(std::size_t wanted, const std::function<void(std::size_t, std::size_t)>& work) {
  AwaitedNumber members;  // 0 until all threads have started
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < wanted; ++index) {
    const auto join_in = [&, index] {
      members.await_change(0);
      work(index, members.load());
    };
    if (!start_thread(threads, join_in)) break;
  }
  const auto started = static_cast<std::uint32_t>(threads.size()) + 1;
  members.store(started);
  work(0, started);
}

}  // namespace

void Barrier::wait(int size) noexcept {
  const std::uint32_t round = round_.load();
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < static_cast<std::uint32_t>(size)) {
    round_.await_change(round);
    return;
  }
  arrived_.store(0, std::memory_order_relaxed);
  round_.store(round + 1);
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
