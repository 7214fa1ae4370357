#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_text.h"
#include "embd/error.h"

namespace embd {

/// The rule for an object that has a name twice.
enum class NameTwice {
  refused,
  last_counts,  ///< as for Python's json.loads(): for formats whose reference reads so
};

/// Parses JSON text that comes from a file, where it begins at offset `text_at`. Arrays and objects
/// that are nested deeper than `max_depth` are refused while the text is read, because
/// nlohmann-json copies and prints values by recursion, and 100,000 levels would end the process.
/// Fails with the faults of read_json() and with out_of_memory, with the offset in the file; and
/// with duplicate, at `text_at`, if an object has a name twice, unless its last value counts.
Result<nlohmann::json> parse_json(std::string_view text, std::uint64_t text_at = 0,
                                  int max_depth = max_json_depth,
                                  NameTwice name_twice = NameTwice::refused);

/// Parses JSON text as parse_json() does, and keeps the order of the members of objects.
Result<nlohmann::ordered_json> parse_ordered_json(std::string_view text);

/// Returns the text that a member of an object is; an empty text if there is no such member, or if
/// it is no string.
std::string text_member(const nlohmann::json& object, std::string_view name);

}  // namespace embd
