#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embd/texts.h"

namespace embd {

/// Members whose values are kept beside the text.
struct FurtherFields {
  std::vector<std::string> names;
  std::size_t first_number = 0;  ///< those from here on are numbers, rounded as their user likes
};

/// The members `text_field` and, unless empty, `id_field` of the JSON object `line`, and all
/// `fields`. The id is a string or a whole number from 0. Errors: bad_json, bad_type, missing,
/// duplicate; bad_value for a whole number beyond 64 bits, which JSON readers round, so that two
/// keys would become one.
Result<void> parse_json_record(std::string_view line, std::string_view text_field,
                               std::string_view id_field, const FurtherFields& fields,
                               Record& record);

}  // namespace embd
