#pragma once

#include <optional>

#include "embd/output_options.h"
#include "formats/format.h"
#include "jobs/join.h"
#include "vectors/narrow_rows.h"

// Inputs whose rows are codes already.
namespace embd {

/// The ranges of int8 codes; nullopt where the rows of `set` are no such
/// codes or there are none. Errors: those of reading them.
Result<std::optional<Int8Ranges>> ranges_of(const VectorReader& set);

struct StoredCodes {
  bool are_codes = false;
  std::optional<Int8Ranges> ranges;  ///< that int8 codes go with
};

/// Codes (OutputType int8, binary) stay codes, whatever is to hold them: has `output` and its
/// recipe say so. Errors: invalid_argument for codes beside others and for codes of codes.
Result<StoredCodes> take_codes(const Readers& inputs, const Format& format, OutputOptions& output);

}  // namespace embd
