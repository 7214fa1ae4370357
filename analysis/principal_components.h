#pragma once

#include <array>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// The places of rows [n, dim] on the two axes along which they differ most, [2][n]: the first two
/// principal components, of up to 4,096 rows that are spread evenly over all. Equal rows give equal
/// bits on every machine. Of each axis' two directions, that in which its greatest weight is
/// positive. The rows' values are finite.
std::array<std::vector<float>, 2> principal_components(MatrixView rows);

}  // namespace embd
