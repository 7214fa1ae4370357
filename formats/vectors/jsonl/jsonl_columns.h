#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "embd/vectors.h"
#include "formats/vectors/jsonl/jsonl_members.h"

namespace embd::jsonl {

/// The line of a row.
using LineOfRow = std::function<std::string_view(std::uint64_t row)>;

/// The members besides id and embedding that are columns: those that on every line are a string,
/// or on every line a number that a column holds. Numbers are i64, or f32 where one of them has a
/// fraction or an exponent.
class Columns {
 public:
  /// Reads the first line and, if a member of it may be a column, all others. A line that is no
  /// JSON ends it: the file has no columns then, and who reads its rows is told why.
  static Columns find(std::uint64_t num_rows, const LineOfRow& line);

  const std::vector<NumberColumn>& numbers() const noexcept { return numbers_; }
  const std::vector<std::string>& texts() const noexcept { return texts_; }
  /// Returns true if every line has a string "text": the text that its row was made of, which is
  /// none of texts().
  bool has_row_texts() const noexcept { return has_row_texts_; }

 private:
  std::vector<NumberColumn> numbers_;
  std::vector<std::string> texts_;
  bool has_row_texts_ = false;
};

inline constexpr std::string_view text_member = "text";

/// The value of the member `name`; monostate if there is none.
MemberValue value_of(const std::vector<Member>& members, std::string_view name);
/// Returns true if `value` is a number of the type, i64 or f32, as which it was appended to `out`.
bool append_element(const MemberValue& value, ElementType type, std::vector<std::byte>& out);

}  // namespace embd::jsonl
