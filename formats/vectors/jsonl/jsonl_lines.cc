#include "formats/vectors/jsonl/jsonl_lines.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/json_text.h"
#include "base/try.h"

namespace embd::jsonl {
namespace {

/// Takes the members of a line.
class MemberHandler final : public JsonHandler {
 public:
  explicit MemberHandler(std::vector<Member>& members) : members_(members) {}

  bool key(std::string& name) override {
    if (depth() != 1) return true;
    is_read_ = name != "id" && name != "embedding" && members_.size() < most_members;
    if (!is_read_) return true;
    if (std::ranges::find(members_, name, &Member::name) != members_.end())
      return stop(ErrorCode::duplicate, "member {:?}", name);
    members_.push_back({name, {}});
    return true;
  }
  bool number_integer(std::int64_t value) override { return take(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return true;
    return take(static_cast<std::int64_t>(value));
  }
  bool number_float(double /*value*/, const std::string& digits) override {
    const auto value = decimal_of<float>(digits);
    const bool is_whole = digits.find_first_of(".eE") == std::string::npos;
    return is_whole || !value || take(*value);
  }
  bool string(std::string& value) override { return take(std::move(value)); }

 private:
  template <class Value>
  bool take(Value&& value) {
    if (depth() == 1 && is_read_) members_.back().value = std::forward<Value>(value);
    return true;
  }

  std::vector<Member>& members_;
  bool is_read_ = false;  // True if the current member is read.
};

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

/// The numbers of a member of a line.
struct Values {
  std::string_view name;
  bool is_array = true;  ///< True for an array, false for a single number.
  bool is_there = false;
  std::vector<float> numbers = {};
};

/// The members of a line. A vector has an embedding. Scores and logits come together, both as
/// numbers or both as arrays.
struct Members {
  Values embedding = {.name = "embedding"};
  Values score = {.name = "score", .is_array = false};
  Values logit = {.name = "logit", .is_array = false};
  Values scores = {.name = "scores"};
  Values logits = {.name = "logits"};

  Values* named(std::string_view name) {
    for (Values* values : {&embedding, &score, &logit, &scores, &logits})
      if (values->name == name) return values;
    return nullptr;
  }
};

/// Takes the members of a line, of which result() makes the line.
class LineHandler final : public JsonHandler {
 public:
  explicit LineHandler(Line& line) : line_(line) { members_.embedding.numbers.swap(line.values); }

  Result<void> result() {
    line_.values.swap(members_.embedding.numbers);
    line_.kind = RowKind::vector;
    if (members_.embedding.is_there) return {};
    line_.kind = RowKind::scores;
    if (members_.score.is_there || members_.logit.is_there)
      return take_scores(members_.score, members_.logit);
    if (members_.scores.is_there || members_.logits.is_there)
      return take_scores(members_.scores, members_.logits);
    return fail(ErrorCode::missing, "the line has no member \"embedding\"");
  }

  bool start_object() override { return depth() == 0 || refuse_where_it_matters("an object"); }
  bool start_array() override {
    if (depth() == 0)
      return stop(ErrorCode::bad_type, "the line is an array, expected a JSON object");
    if (is_in_member() && values_ != nullptr && values_->is_array) {
      in_array_ = true;
      return true;
    }
    return refuse_where_it_matters("an array");
  }
  bool end_array() override {
    if (depth() == 1) in_array_ = false;
    return true;
  }

  bool key(std::string& name) override {
    if (depth() != 1) return true;
    values_ = members_.named(name);
    is_id_ = name == "id";
    if ((values_ != nullptr && std::exchange(values_->is_there, true)) ||
        (is_id_ && std::exchange(has_id_, true)))
      return stop(ErrorCode::duplicate, "member \"{}\"", name);
    return true;
  }

  bool null() override { return refuse_where_it_matters("null"); }
  bool boolean(bool value) override { return refuse_where_it_matters(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override {
    // A zero comes here only if it has a sign: "-0".
    if (takes_number()) return add(value == 0 ? -0.0F : static_cast<float>(value));
    return refuse_where_it_matters("a negative number");
  }
  bool number_unsigned(std::uint64_t value) override {
    if (takes_number()) return add(static_cast<float>(value));
    if (!is_id()) return refuse_where_it_matters("a number");
    line_.id = value;
    return true;
  }
  bool number_float(double /*value*/, const std::string& digits) override {
    if (!takes_number()) return refuse_where_it_matters("a number with a fraction");
    const auto value = decimal_of<float>(digits);
    if (!value) return stop(ErrorCode::bad_value, "the number {} is too large for float32", digits);
    return add(*value);
  }
  bool string(std::string& value) override {
    if (!is_id()) return refuse_where_it_matters("a string");
    line_.id = std::move(value);
    return true;
  }

 private:
  bool is_in_member() const { return depth() == 1; }
  bool is_id() const { return is_in_member() && is_id_; }
  bool takes_number() const {
    return in_array_ || (is_in_member() && values_ != nullptr && !values_->is_array);
  }

  /// Refuses a value that the id or a member of numbers cannot have. In other members it is
  /// ignored.
  bool refuse_where_it_matters(std::string_view found) {
    if (depth() == 0)
      return stop(ErrorCode::bad_type, "the line is {}, expected a JSON object", found);
    if (is_id()) {
      return stop(ErrorCode::bad_type, "\"id\" is {}, expected a string or a whole number", found);
    }
    if (in_array_ || (is_in_member() && values_ != nullptr)) {
      return stop(ErrorCode::bad_type, "\"{}\" {} {}, expected {}", values_->name,
                  in_array_ ? "holds" : "is", found,
                  values_->is_array ? "an array of numbers" : "a number");
    }
    return true;
  }
  bool add(float value) {
    values_->numbers.push_back(value);
    return true;
  }

  Result<void> take_scores(const Values& scores, const Values& logits) {
    for (const Values* each : {&scores, &logits})
      if (!each->is_there)
        return fail(ErrorCode::missing, "the line has no member \"{}\"", each->name);
    if (scores.numbers.size() != logits.numbers.size())
      return fail(ErrorCode::bad_count,
                  "the line has {} scores and {} logits, expected as many scores as logits",
                  scores.numbers.size(), logits.numbers.size());
    line_.values = scores.numbers;
    line_.values.insert(line_.values.end(), logits.numbers.begin(), logits.numbers.end());
    return {};
  }

  Line& line_;
  Members members_;
  Values* values_ = nullptr;  // The numbers of the current member, if it has numbers.
  bool is_id_ = false;        // True if the current member is the id.
  bool has_id_ = false;
  bool in_array_ = false;
};

}  // namespace

Result<void> parse_members(std::string_view text, std::vector<Member>& members) {
  members.clear();
  MemberHandler handler(members);
  return read_json_line(text, handler);
}

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

Result<void> parse_line(std::string_view text, Line& line) {
  line.values.clear();
  line.id = {};
  LineHandler handler(line);
  EMBD_TRY(read_json_line(text, handler));
  return handler.result();
}

}  // namespace embd::jsonl
