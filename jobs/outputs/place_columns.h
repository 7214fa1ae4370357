#pragma once

#include <span>
#include <vector>

#include "embd/vectors.h"
#include "jobs/outputs/row_batch.h"

namespace embd {

/// Returns the columns that hold the place of a window in its text, for outputs with Room::places:
/// "byte_begin", "byte_end", "character_begin" and "character_end", whole numbers of 64 bits.
std::vector<NumberColumn> place_columns();

/// Appends the values of place_columns() for rows with these notes, each of which must have a
/// place.
void append_places(std::span<const RowNote> notes, std::vector<std::vector<std::byte>>& columns);

}  // namespace embd
