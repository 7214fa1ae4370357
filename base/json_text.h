#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/element_type.h"

namespace embd {

/// Appends `text` as a JSON string in quotes. Bytes that are not UTF-8 are replaced by U+FFFD,
/// because JSON cannot hold them.
void append_json_string(std::string_view text, std::string& out);

/// Appends the shortest decimal number that reads back as `value`; null for a value that is not
/// finite, because JSON has no number for it.
void append_json_float(float value, std::string& out);

/// Appends a stored number of a plain type. A floating-point number gets a fraction or an exponent,
/// such as 1.0, so that readers recognize its type; a number that is not finite becomes null.
void append_json_number(ElementType type, Bytes element, std::string& out);

}  // namespace embd
