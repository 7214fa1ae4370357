#pragma once

#include "embd/error.h"
#include "embd/index_options.h"
#include "embd/matrix.h"

namespace embd {

/// Fails with bad_value, naming the row, unless all rows have distances to each other: no value may
/// be NaN or infinite, and, if the metric uses lengths, no square of a length may overflow float32.
/// `first_row` is the number of the first row, for the message.
Result<void> check_rows(MatrixView rows, Metric metric, std::uint64_t first_row = 0);

/// Fails with bad_value, naming the row, if a value would be stored as infinity in an element of
/// the type.
Result<void> check_range(ElementType type, MatrixView rows);

/// Returns true if an HNSW index whose elements are `scalar` loses lengths that its metric depends
/// on: integers (i8, u8) keep only the direction of a row, and l2sq and ip depend on its length.
bool loses_lengths(Metric metric, ElementType scalar) noexcept;

/// Fails with bad_value, naming the row, unless an HNSW index can store the rows as `scalar`. If it
/// loses lengths, every row must have length 1, within 1 %. `first_row` is the number of the first
/// row, for the message.
Result<void> check_kept_lengths(MatrixView rows, Metric metric, ElementType scalar,
                                std::uint64_t first_row = 0);

}  // namespace embd
