#pragma once

#include <optional>

#include "embd/output_options.h"
#include "jobs/joined_sets.h"
#include "jobs/outputs/output_target.h"
#include "vectors/narrow_rows.h"

// Inputs whose rows are codes already.
namespace embd {

struct StoredCodes {
  OutputType type = OutputType::automatic;  ///< int8 or binary; automatic where rows are no codes
  std::optional<Int8Ranges> ranges;         ///< that int8 codes go with
  std::uint64_t encoded_dim = 0;            ///< values of a row before it became codes
};

/// Equal, or both none.
bool same_ranges(const std::optional<Int8Ranges>& a, const std::optional<Int8Ranges>& b);

/// Tells whether the rows of `set` are codes, and of which ranges. A format that makes codes of its
/// own (CodeStorage::own) decodes them; codes that were put into such a file as rows have their
/// ranges beside it. Errors: those of reading the recipe and the ranges.
Result<StoredCodes> stored_codes(const VectorReader& set);

/// Rows [n, codes.encoded_dim] as such codes, so that they can be compared with them; as they are,
/// where rows are no codes. Error: missing where int8 codes have lost their ranges.
Result<Matrix> as_codes(const StoredCodes& codes, Matrix rows);

/// Has `output` and its recipe say what the rows of all inputs are: codes (OutputType::int8,
/// binary) stay codes, whatever is to hold them. Errors: invalid_argument for codes beside others
/// and for codes of codes.
Result<StoredCodes> take_codes(const Readers& inputs, OutputTarget& output);

}  // namespace embd
