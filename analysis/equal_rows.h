#pragma once

#include <cstdint>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// Returns, for each row, the first row with the same bytes. That is the row itself, unless it is a
/// copy of an earlier one.
std::vector<std::uint32_t> first_of_equal(MatrixView rows);

}  // namespace embd
