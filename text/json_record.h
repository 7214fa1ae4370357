#pragma once

#include <string_view>

#include "text/record_reader.h"

namespace embd {

/// The members `text_field` and, unless empty, `id_field` of the JSON object `line`, and all
/// `fields`. The id is a string or a whole number from 0. Errors: bad_json, bad_type, missing,
/// duplicate.
Result<void> parse_json_record(std::string_view line, std::string_view text_field,
                               std::string_view id_field, const std::vector<std::string>& fields,
                               Record& record);

}  // namespace embd
