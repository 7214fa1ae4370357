#pragma once

#include "base/try.h"

namespace embd {

/// Makes the value to return from a function that a stop request has ended.
inline std::unexpected<Error> fail_stopped() {
  return fail(ErrorCode::cancelled, "the call was stopped before it ended");
}

}  // namespace embd
