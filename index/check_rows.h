#pragma once

#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/matrix.h"

namespace embd {

/// That every row has a distance to every other: no value is NaN or infinite, and no square of a
/// length overflows float32 where the metric takes one. Errors: bad_value, with the row.
Result<void> check_rows(MatrixView rows, Metric metric);

}  // namespace embd
