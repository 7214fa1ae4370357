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

/// Which members of an object are a record.
struct RecordFields {
  std::string text;
  bool are_token_ids = false;  ///< `text` holds an array of them instead of a string
  std::string id;              ///< empty: there are no ids
  FurtherFields further;
};

/// The members of the JSON object `line`. The id is a string or a whole number from 0, token ids
/// are at least one whole number below 2^31. Errors: bad_json, bad_type, missing, duplicate;
/// bad_value for an id of a token that is none, and for a whole number beyond 64 bits, which JSON
/// readers round, so that two keys would become one.
Result<void> parse_json_record(std::string_view line, const RecordFields& fields, Record& record);

}  // namespace embd
