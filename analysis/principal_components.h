#pragma once

#include <array>
#include <vector>

#include "embd/matrix.h"

namespace embd {

/// Returns the coordinates of rows [n, dim] along their first two principal components, [2][n]. The
/// components are computed from up to 4,096 rows, taken evenly from all. Each axis points in the
/// direction in which its largest weight is positive. Equal rows give equal bits on every machine.
/// All values must be finite.
std::array<std::vector<float>, 2> principal_components(MatrixView rows);

}  // namespace embd
