#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "embd/error.h"

namespace embd {

/// Adds a thread that calls `work`. Returns false if the system gives no thread; the existing
/// threads then do all the work.
template <class Work>
bool start_thread(std::vector<std::jthread>& threads, const Work& work) noexcept {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Returns the number of threads for work that may use `wanted` threads: available_threads() if
/// that is 0, which stands for as many as there are.
int threads_for(int wanted) noexcept;

/// Calls function(i) once for each i below `count`, on the calling thread and up to `threads` − 1
/// others: the threads that OpenMP keeps for it (run_on_openmp()), or threads that end with the
/// call. A thread takes the next i when it has finished one. The first error stops the run and is
/// returned; exceptions become errors as in guarded().
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t)>& function);
/// Calls function(i, worker) in the same way. Calls that run at the same time have different
/// numbers `worker`, below `threads`, so each worker can have memory of its own.
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t, std::size_t)>& function);

/// Calls work(worker, workers) for each worker below `workers`, all at the same time, on the
/// threads that OpenMP keeps for the calling thread, which is worker 0. `workers` is `team`, or
/// less if OpenMP gives fewer threads. Returns false without calling `work` if OpenMP is missing or
/// must not be used (docs/decisions/020). `work` must not throw.
bool run_on_openmp(std::size_t team,
                   const std::function<void(std::size_t, std::size_t)>& work) noexcept;

/// Returns true if the calling thread has just finished work on several threads: in
/// run_on_openmp(), or in work after which note_end() was called. OpenMP's threads wait actively
/// for more work for some milliseconds and then sleep, so work that may come alone asks this first,
/// in order not to take cores from other programs.
bool follows_at_once() noexcept;
void note_end() noexcept;

}  // namespace embd
