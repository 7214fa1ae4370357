#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "embd/texts.h"

namespace embd {

/// The members of an object whose values are kept in addition to the text.
struct FurtherFields {
  std::vector<std::string> names;
  /// The index from which on the members are numbers; they are rounded as their user needs.
  std::size_t first_number = 0;
};

/// The members of a JSON object that make up a record.
struct RecordFields {
  std::string text;
  bool are_token_ids = false;  ///< `text` names an array of token ids instead of a string
  std::string id;              ///< empty: records have no ids
  FurtherFields further;
};

/// Reads a record from the JSON object `line`. An id must be a string or a whole number of at least
/// 0; token ids must be at least one whole number below 2^31. Fails with bad_json, bad_type,
/// missing or duplicate; with bad_value for a token id out of range, and for an id beyond 64 bits,
/// because JSON readers round such numbers, and two ids could become equal.
Result<void> parse_json_record(std::string_view line, const RecordFields& fields, Record& record);

}  // namespace embd
