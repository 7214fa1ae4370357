#pragma once

#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/matrix.h"

namespace embd {

/// That every row has a distance to every other: no value is NaN or infinite, and no square of a
/// length overflows float32 where the metric takes one. Errors: bad_value, with the row.
Result<void> check_rows(MatrixView rows, Metric metric);

/// That rows may be stored as `scalar` by a HNSW index, whose integers (i8, u8) keep directions
/// only: under l2sq and ip, which depend on lengths, every row is of length 1, within 1 %.
/// `first_row`: the number of the first one, for the message. Errors: bad_value, with the row.
Result<void> check_kept_lengths(MatrixView rows, Metric metric, ElementType scalar,
                                std::uint64_t first_row = 0);

}  // namespace embd
