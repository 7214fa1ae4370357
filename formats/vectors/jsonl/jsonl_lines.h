#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embd/error.h"
#include "embd/vectors.h"

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

/// Returns the line of a row.
using LineOfRow = std::function<std::string_view(std::uint64_t row)>;

/// The members of lines, besides id and embedding, that are columns. A member is a column if it is
/// a string on every line, or on every line a number that a column can hold. Numbers are i64, or
/// f32 if one of them has a fraction or an exponent.
class Columns {
 public:
  /// Finds the columns. Reads the first line and, if one of its members may be a column, all
  /// others. If a line is not valid JSON, there are no columns; reading its row then reports the
  /// error.
  static Columns find(std::uint64_t num_rows, const LineOfRow& line);

  const std::vector<NumberColumn>& numbers() const noexcept { return numbers_; }
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  /// Returns true if every line has a string "text", the text from which its row was made. This
  /// member is not one of texts().
  bool has_row_texts() const noexcept { return has_row_texts_; }

 private:
  std::vector<NumberColumn> numbers_;
  std::vector<std::string> texts_;
  bool has_row_texts_ = false;
};

inline constexpr std::string_view text_member = "text";

/// Returns the value of the member `name`; monostate if there is no such member.
MemberValue value_of(const std::vector<Member>& members, std::string_view name);
/// Appends `value` to `out` as a number of `type`, i64 or f32. Returns false, without appending, if
/// it is not such a number.
bool append_element(const MemberValue& value, ElementType type, std::vector<std::byte>& out);

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
