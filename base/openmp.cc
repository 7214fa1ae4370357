#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/process.h"

namespace embd {
namespace {

/// Returns true if libgomp is safe to use. In a child of fork(), the threads that it kept are gone,
/// and it would wait for them forever. If it gets no memory, it ends the process.
bool is_safe() noexcept {
  return !os::is_memory_limited() && !os::is_forked();
}

bool may_be_used() noexcept {
  static std::atomic<std::int64_t> allowed = 0;
  static std::atomic<std::int64_t> refused = 0;
  const std::int64_t process = os::process_number();
  if (allowed == process) return true;
  if (refused == process) return false;
  const bool may = is_safe();
  (may ? allowed : refused) = process;
  return may;
}

/// Returns true if the system gives `count` new threads. libgomp ends the process if it gets no
/// thread. So this function first starts and ends as many threads, and a few more that others may
/// ask for meanwhile. A thread that was joined counts until the kernel has removed it.
bool are_threads_to_be_had(std::size_t count) noexcept {
  constexpr std::size_t for_others = 4;
  constexpr int most_looks = 200;
  const std::size_t before = os::num_threads();
  bool all = true;
  {
    std::latch end(1);
    std::vector<std::jthread> probes;
    while (all && probes.size() < count + for_others)
      all = start_thread(probes, [&end] { end.wait(); });
    end.count_down();
  }
  for (int look = 0; look < most_looks && os::num_threads() > before; ++look)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  return all && before > 0 && os::num_threads() <= before;
}

using Clock = std::chrono::steady_clock;

/// The time within which work follows at once. It is longer than tokenizing a text takes before a
/// team computes the text, and shorter than the smallest work that two threads share.
constexpr std::chrono::microseconds at_once(250);

/// The state of OpenMP for this thread.
struct Kept {
  bool has_run = false;  ///< true if a loop has run before; threads are not kept for a single loop
  std::size_t team = 1;  ///< the number of threads of the last loop
  Clock::time_point end;
};

Kept& kept() noexcept {
  thread_local Kept kept;
  return kept;
}

}  // namespace

bool run_on_openmp(std::size_t team,
                   const std::function<void(std::size_t, std::size_t)>& work) noexcept {
  Kept& mine = kept();
  if (!std::exchange(mine.has_run, true)) return false;
  if (omp_get_level() != 0 || !may_be_used()) return false;
  if (team > mine.team && !are_threads_to_be_had(team - 1)) return false;
  mine.team = team;
#pragma omp parallel num_threads(static_cast<int>(team))
  work(static_cast<std::size_t>(omp_get_thread_num()),
       static_cast<std::size_t>(omp_get_num_threads()));
  note_end();
  return true;
}

bool follows_at_once() noexcept {
  return Clock::now() - kept().end < at_once;
}

void note_end() noexcept {
  kept().end = Clock::now();
}

}  // namespace embd

#else

namespace embd {

bool run_on_openmp(std::size_t, const std::function<void(std::size_t, std::size_t)>&) noexcept {
  return false;
}

bool follows_at_once() noexcept {
  return false;
}

void note_end() noexcept {}

}  // namespace embd

#endif
