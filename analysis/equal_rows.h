#pragma once

#include <cstdint>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// Returns for each row the first row that has the same bytes: its own number unless it is a copy.
std::vector<std::uint32_t> first_of_equal(MatrixView rows);

}  // namespace embd
