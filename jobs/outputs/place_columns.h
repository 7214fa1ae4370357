#pragma once

#include <span>
#include <vector>

#include "embd/vectors.h"
#include "jobs/outputs/row_batch.h"

namespace embd {

/// Columns of where a window lies in its text, which outputs with Room.places have: "byte_begin",
/// "byte_end", "character_begin" and "character_end", whole numbers of 64 bits.
std::vector<NumberColumn> place_columns();

/// Appends the values of place_columns() for rows with these notes, each of which has a place.
void append_places(std::span<const RowNote> notes, std::vector<std::vector<std::byte>>& columns);

}  // namespace embd
