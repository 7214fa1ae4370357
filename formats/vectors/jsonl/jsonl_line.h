#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"
#include "embd/vectors.h"

namespace embd::jsonl {

/// The content of a line.
struct Line {
  RowKind kind = RowKind::vector;
  std::vector<float> values;  ///< the embedding; or scores, then logits
  std::variant<std::monostate, std::uint64_t, std::string> id;  ///< monostate: no member "id"
};

/// Parses one line into `line`, reusing its memory. It has an embedding, or a score and a logit, or
/// as many scores as logits. The numbers are rounded to float32 once, from their digits. Errors:
/// bad_json, bad_type, missing, duplicate, bad_value, bad_count.
Result<void> parse_line(std::string_view text, Line& line);

}  // namespace embd::jsonl
