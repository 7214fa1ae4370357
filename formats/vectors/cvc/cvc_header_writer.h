#pragma once

#include <string>

#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

/// Returns the JSON text of a header, which parse_header() can read. Except for the recipe, its
/// bytes are those that the reference package writes. `json_offset` and `json_bytes` of the header
/// are ignored.
std::string header_json(const Header& header);

}  // namespace embd::cvc
