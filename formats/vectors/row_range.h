#pragma once

#include <cstdint>

#include "embd/error.h"

namespace embd {

/// Fails with invalid_argument unless rows [first, first + count) are among `num_rows`.
Result<void> check_rows(std::uint64_t first, std::uint64_t count, std::uint64_t num_rows);

}  // namespace embd
