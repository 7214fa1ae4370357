#pragma once

#include <array>
#include <vector>

#include "embd/matrix.h"

namespace embd::server {

/// The places of rows [n, dim] on the two axes along which they differ most, [2][n]: the first two
/// principal components, by power iteration from a fixed start, so equal rows give equal places. Of
/// each axis' two directions, that in which its greatest weight is positive.
std::array<std::vector<float>, 2> principal_components(const Matrix& rows);

}  // namespace embd::server
