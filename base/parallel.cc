#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/os/cpu.h"
#include "base/try.h"

namespace embd {

int threads_for(int wanted) noexcept {
  return wanted > 0 ? wanted : available_threads();
}

Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t, std::size_t)>& function) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&](std::size_t worker) {
    for (std::size_t i = next++; i < count; i = next++) {
      if (auto done = guarded([&] { return function(i, worker); }); !done) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::move(done).error();
        next = count;
      }
    }
  };
  const std::size_t team = std::min(count, static_cast<std::size_t>(std::max(threads, 1)));
  const auto join_in = [&work](std::size_t worker, std::size_t) { work(worker); };
  if (team <= 1 || !run_on_openmp(team, join_in)) {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < team; ++i) {
      if (!start_thread(others, [&work, i] { work(i); })) break;
    }
    work(0);
  }
  if (error) return std::unexpected(std::move(*error));
  return {};
}

Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t)>& function) {
  return parallel_for(count, threads, [&](std::size_t i, std::size_t) { return function(i); });
}

}  // namespace embd
