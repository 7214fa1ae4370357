#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"

namespace embd::jsonl {

/// What a line says.
struct Line {
  std::vector<float> embedding;
  std::variant<std::monostate, std::uint64_t, std::string> id;  ///< monostate: no member "id"
};

/// Parses one line into `line`, reusing its memory. The numbers are rounded to float32 once, from
/// their digits. Errors: bad_json, bad_type, missing, duplicate, bad_value.
Result<void> parse_line(std::string_view text, Line& line);

}  // namespace embd::jsonl
