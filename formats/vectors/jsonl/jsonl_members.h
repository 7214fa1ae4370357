#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"

namespace embd::jsonl {

/// The value of a member of a line; monostate for one that no column holds: an array, an object,
/// null, true, false, a whole number beyond 64 bits with their sign, a number beyond float32.
using MemberValue = std::variant<std::monostate, std::int64_t, float, std::string>;

/// Members of a line that are looked at; a line with more has none of the others.
inline constexpr std::size_t most_members = 1000;

struct Member {
  std::string name;
  MemberValue value;
};

/// Reads the members of a line besides "id" and "embedding", in the order of the line, into
/// `members`, reusing its memory. A number is float32 if it has a fraction or an exponent. Errors:
/// bad_json; duplicate for two members of one name.
Result<void> parse_members(std::string_view text, std::vector<Member>& members);

}  // namespace embd::jsonl
