#pragma once

#include <cstddef>
#include <string>

#include "embd/vectors.h"

namespace embd {

/// Appends id `i` of `ids` to `out` as a JSON string or number. `ids` must not be none. Fails with
/// invalid_utf8 if the id is not UTF-8.
Result<void> append_json_id(const Ids& ids, std::size_t i, std::string& out);

}  // namespace embd
