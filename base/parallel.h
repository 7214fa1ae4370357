#pragma once

#include <cstddef>
#include <functional>

#include "embd/error.h"

namespace embd {

/// Calls function(i) once for each i below `count`, on the calling thread and up to `threads` − 1
/// more that live as long as the call; each takes the next i when it is done with its last. The
/// first error ends the run and is returned; exceptions become errors as in guarded().
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t)>& function);
/// The same with function(i, worker): of the calls under way at once each has another `worker`
/// below `threads`, for memory that each needs for itself.
Result<void> parallel_for(std::size_t count, int threads,
                          const std::function<Result<void>(std::size_t, std::size_t)>& function);

}  // namespace embd
