#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/element_type.h"

namespace embd {

/// Appends `text` as a JSON string in quotes. What is no UTF-8 is replaced by U+FFFD, since JSON
/// could not hold it.
void append_json_string(std::string_view text, std::string& out);

/// Appends the shortest decimals that read back to `value`; null for one that is not finite, since
/// JSON has none.
void append_json_float(float value, std::string& out);

/// Appends a stored number of a plain type. A floating one has a fraction or an exponent, so that a
/// reader sees what it is: 1.0; or null, where it is not finite.
void append_json_number(ElementType type, Bytes element, std::string& out);

}  // namespace embd
