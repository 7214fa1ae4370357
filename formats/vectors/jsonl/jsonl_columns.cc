#include "formats/vectors/jsonl/jsonl_columns.h"

#include <algorithm>

#include "base/bytes.h"

namespace embd::jsonl {
namespace {

/// A member of the first line, and the kind of its values on all lines so far.
struct Candidate {
  std::string name;
  std::size_t kind;  ///< The MemberValue::index() of all values; f32 includes integers.
};

constexpr std::size_t no_kind = 0;
constexpr std::size_t whole_kind = 1;
constexpr std::size_t float_kind = 2;

/// Returns the kind of a column that can hold values of both kinds; no_kind if there is none.
std::size_t common_kind(std::size_t a, std::size_t b) noexcept {
  if (a == b) return a;
  const bool are_numbers = std::max(a, b) == float_kind && std::min(a, b) == whole_kind;
  return are_numbers ? float_kind : no_kind;
}

}  // namespace

Columns Columns::find(std::uint64_t num_rows, const LineOfRow& line) {
  std::vector<Member> members;
  if (num_rows == 0 || !parse_members(line(0), members)) return {};
  std::vector<Candidate> candidates;
  for (const Member& member : members)
    if (member.value.index() != no_kind) candidates.push_back({member.name, member.value.index()});
  for (std::uint64_t row = 1; row < num_rows && !candidates.empty(); ++row) {
    if (!parse_members(line(row), members)) return {};
    for (Candidate& candidate : candidates)
      candidate.kind = common_kind(candidate.kind, value_of(members, candidate.name).index());
    std::erase_if(candidates, [](const Candidate& each) { return each.kind == no_kind; });
  }
  Columns columns;
  for (Candidate& candidate : candidates) {
    if (candidate.kind > float_kind && candidate.name == text_member) {
      columns.has_row_texts_ = true;
    } else if (candidate.kind > float_kind) {
      columns.texts_.push_back(std::move(candidate.name));
    } else {
      const bool is_whole = candidate.kind == whole_kind;
      columns.numbers_.push_back({.name = std::move(candidate.name),
                                  .type = is_whole ? ElementType::i64 : ElementType::f32});
    }
  }
  return columns;
}

MemberValue value_of(const std::vector<Member>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? MemberValue() : found->value;
}

bool append_element(const MemberValue& value, ElementType type, std::vector<std::byte>& out) {
  const auto append = [&](auto number) {
    const Bytes bytes = std::as_bytes(std::span(&number, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
    return true;
  };
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (type == ElementType::i64) return whole != nullptr && append(*whole);
  if (whole != nullptr) return append(static_cast<float>(*whole));
  const auto* number = std::get_if<float>(&value);
  return number != nullptr && append(*number);
}

}  // namespace embd::jsonl
