#pragma once

#include <cstddef>
#include <functional>

namespace embd {

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
