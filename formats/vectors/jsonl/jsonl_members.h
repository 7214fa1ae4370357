#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"

namespace embd::jsonl {

/// The value of a member of a line. It is monostate if no column can hold it: an array, an object,
/// null, true, false, an integer that does not fit int64, or a number beyond float32.
using MemberValue = std::variant<std::monostate, std::int64_t, float, std::string>;

/// The greatest number of members that are read from a line. Further members are ignored, so they
/// are not columns.
inline constexpr std::size_t most_members = 1000;

struct Member {
  std::string name;
  MemberValue value;
};

/// Reads the members of a line, except "id" and "embedding", into `members`, in the order of the
/// line. The memory of `members` is reused. A number with a fraction or an exponent becomes
/// float32. Fails with bad_json, and with duplicate if two members have one name.
Result<void> parse_members(std::string_view text, std::vector<Member>& members);

}  // namespace embd::jsonl
