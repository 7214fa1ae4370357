#pragma once

#include <cstdint>

#include "embd/error.h"

namespace embd {

/// Checks that rows [first, first + count) exist among `num_rows` rows. Fails with invalid_argument
/// if not.
Result<void> check_rows(std::uint64_t first, std::uint64_t count, std::uint64_t num_rows);

}  // namespace embd
