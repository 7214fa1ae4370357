#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "embd/vectors.h"
#include "formats/vectors/jsonl/jsonl_members.h"

namespace embd::jsonl {

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

}  // namespace embd::jsonl
