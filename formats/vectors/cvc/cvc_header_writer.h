#pragma once

#include <string>

#include "formats/vectors/cvc/cvc_header.h"

namespace embd::cvc {

/// The JSON of a header, byte for byte as the reference package prints it (but for the recipe):
/// what parse_header() reads. Where it lies, `json_offset` and `json_bytes`, does not matter.
std::string header_json(const Header& header);

}  // namespace embd::cvc
