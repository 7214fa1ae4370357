#pragma once

#include <cstddef>
#include <functional>

namespace embd {

/// Calls work(worker, workers) for each worker below `workers`, at once, on the threads that OpenMP
/// keeps for the calling one, which is worker 0. There are `team` workers, or fewer where OpenMP
/// gives fewer. Returns false, and calls nothing, where OpenMP is not there or must not be used:
/// see decision 020. `work` throws nothing.
bool run_on_openmp(std::size_t team,
                   const std::function<void(std::size_t, std::size_t)>& work) noexcept;

/// Whether the calling thread's work of several threads ended just now: what run_on_openmp() did,
/// or what note_end() was called after. OpenMP's threads look for more for milliseconds before they
/// sleep, on cores that others want, so work that may come alone asks this first.
bool follows_at_once() noexcept;
void note_end() noexcept;

}  // namespace embd
