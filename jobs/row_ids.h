#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "embd/error.h"
#include "embd/texts.h"
#include "embd/vectors.h"

namespace embd {

/// Returns every id as a string. Without ids, they are row numbers from 0.
std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows);

/// Returns an id as text; empty if there is none.
std::string record_id_text(const RecordId& id);

/// Returns the id of a text with `count` texts before it, where the first text has the id `first`.
/// Fails with invalid_argument if that exceeds the largest number.
Result<std::uint64_t> number_after(std::uint64_t first, std::uint64_t count);

/// Converts ids of records, which must be of one kind, to ids of rows.
Ids ids_of(std::vector<RecordId> row_ids);

/// Returns the number of rows to decode at a time when they are copied from file to file: about 4
/// MB.
constexpr std::uint64_t rows_at_once(std::uint64_t dim) noexcept {
  return std::max<std::uint64_t>(1, (std::uint64_t{1} << 20) / std::max<std::uint64_t>(1, dim));
}

}  // namespace embd
