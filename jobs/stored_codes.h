#pragma once

#include <optional>

#include "embd/output_options.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/output_target.h"
#include "jobs/sets/narrow_rows.h"

// Functions for vector sets whose rows are codes: quantized values, int8 or binary, instead of
// vectors.
namespace embd {

/// The kind of codes that a set's rows are.
struct StoredCodes {
  OutputType type = OutputType::automatic;  ///< int8 or binary; automatic if the rows are no codes
  std::optional<Int8Ranges> ranges;         ///< the ranges of int8 codes
  /// The number of values of a row before it was converted to codes.
  std::uint64_t encoded_dim = 0;
};

/// Returns true if both ranges are equal, or both are missing.
bool same_ranges(const std::optional<Int8Ranges>& a, const std::optional<Int8Ranges>& b);

/// Determines whether the rows of `set` are codes, and of which ranges. A format that makes codes
/// itself (CodeStorage::own) decodes them; codes that were stored in such a file as rows have their
/// ranges beside it. Fails with the errors of reading the recipe and the ranges.
Result<StoredCodes> stored_codes(const VectorReader& set);

/// Converts rows [n, codes.encoded_dim] to codes of this kind, so that they can be compared with
/// the rows of the set; returns them unchanged if the rows of the set are no codes. Fails with
/// missing if the ranges of int8 codes are not stored.
Result<Matrix> as_codes(const StoredCodes& codes, Matrix rows);

/// Sets the type of `output` and of its recipe to the kind of the rows of all inputs, which have
/// `dim` values: codes (OutputType::int8, binary) stay codes, whatever format holds them. Fails
/// with invalid_argument if only some inputs hold codes, and if codes were to be made of codes.
Result<StoredCodes> take_codes(const Readers& inputs, std::uint64_t dim, OutputTarget& output);

}  // namespace embd
