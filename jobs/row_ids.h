#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// Row numbers from 0 stand for ids that are not there; every id as a string.
std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows);

/// An id as text; empty for none.
std::string record_id_text(const RecordId& id);

/// The id of a text that `count` others come before, where the first has `first`. Error:
/// invalid_argument where no such number is left.
Result<std::uint64_t> number_after(std::uint64_t first, std::uint64_t count);

/// The ids of rows, which are all of one kind.
Ids ids_of(std::vector<RecordId> row_ids);

}  // namespace embd
