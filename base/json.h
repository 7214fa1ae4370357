#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// The value of JSON text that comes from a file, which begins at `text_at` there. Arrays and
/// objects nested deeper than `max_depth`, by default deeper than any that is meant, are refused
/// before they are parsed: nlohmann-json copies and prints a value by recursion, and 100,000 levels
/// end the process. `watch` sees each value as it is parsed. Errors: bad_json, out_of_memory, each
/// with the offset in the file.
Result<nlohmann::json> parse_json(std::string_view text, std::uint64_t text_at = 0,
                                  const nlohmann::json::parser_callback_t& watch = nullptr,
                                  int max_depth = 256);

}  // namespace embd
