#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// Parses JSON text that comes from a file, where it begins at offset `text_at`. Arrays and objects
/// that are nested deeper than `max_depth` are refused before they are parsed, because
/// nlohmann-json copies and prints values by recursion, and 100,000 levels would end the process;
/// the default is deeper than any file needs. `watch` is called for each value as it is parsed.
/// Fails with bad_json or out_of_memory, with the offset in the file.
Result<nlohmann::json> parse_json(std::string_view text, std::uint64_t text_at = 0,
                                  const nlohmann::json::parser_callback_t& watch = nullptr,
                                  int max_depth = 256);

}  // namespace embd
