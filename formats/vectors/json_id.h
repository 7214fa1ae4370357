#pragma once

#include <cstddef>
#include <string>

#include "embd/vectors.h"

namespace embd {

/// Appends id `i` of `ids`, which are some, as a JSON string or number. Error: invalid_utf8 for one
/// that JSON could not hold.
Result<void> append_json_id(const Ids& ids, std::size_t i, std::string& out);

}  // namespace embd
