#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"
#include "embd/vectors.h"

namespace embd::jsonl {

/// The parsed content of a line.
struct Line {
  RowKind kind = RowKind::vector;
  std::vector<float> values;  ///< The embedding; or scores, followed by logits.
  /// The id; monostate if there is no member "id".
  std::variant<std::monostate, std::uint64_t, std::string> id;
};

/// Parses a line into `line`, whose memory is reused. A line has an embedding, a score and a logit,
/// or as many scores as logits. Numbers are rounded to float32 once, from their decimal digits.
/// Fails with bad_json, bad_type, missing, duplicate, bad_value or bad_count.
Result<void> parse_line(std::string_view text, Line& line);

}  // namespace embd::jsonl
