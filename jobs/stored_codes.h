#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/format.h"
#include "jobs/join.h"
#include "jobs/outputs.h"
#include "vectors/narrow_rows.h"

// Inputs whose rows are codes already.
namespace embd {

/// The ranges of int8 codes, which lie beside `path`; nullopt where the rows of `set` are no such
/// codes or there are none. Errors: those of reading them.
Result<std::optional<Int8Ranges>> ranges_of(const VectorReader& set, const std::string& path);

/// Codes (--output-type int8, binary) stay codes, whatever is to hold them: has `output` and its
/// recipe say so. Returns the ranges that they go with. `paths`: of the inputs. Errors:
/// invalid_argument for codes beside others and for codes of codes.
Result<std::optional<Int8Ranges>> take_codes(const Readers& inputs,
                                             const std::vector<std::string>& paths,
                                             const Format& format, OutputOptions& output);

}  // namespace embd
