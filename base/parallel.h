#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "embd/error.h"

namespace embd {

/// Adds a thread that calls `work`. False where there is none to be had: then fewer do what there
/// is to do.
template <class Work>
bool start_thread(std::vector<std::jthread>& threads, const Work& work) noexcept {
  try {
    threads.emplace_back(work);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Calls function(i) once for each i below `count`, on the calling thread and up to `threads` − 1
/// more: those that OpenMP keeps for it (base/openmp.h), or some that live as long as the call.
/// Each takes the next i when it is done with its last. The first error ends the run and is
/// returned; exceptions become errors as in guarded().
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t)>& function);
/// The same with function(i, worker): of the calls under way at once each has another `worker`
/// below `threads`, for memory that each needs for itself.
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t, std::size_t)>& function);

}  // namespace embd
