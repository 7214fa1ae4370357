#pragma once

#include <cstddef>
#include <functional>

namespace embd {

/// Calls work(worker) for each worker below `team` on the threads that OpenMP keeps for the calling
/// one, which is worker 0; on fewer where OpenMP gives fewer. Returns false, and calls nothing,
/// where OpenMP is not there or must not be used: see decision 020. `work` throws nothing.
bool run_on_openmp(std::size_t team, const std::function<void(std::size_t)>& work) noexcept;

}  // namespace embd
