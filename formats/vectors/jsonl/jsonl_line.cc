#include "formats/vectors/jsonl/jsonl_line.h"

#include <fmt/format.h>

#include <optional>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "base/try.h"

namespace embd::jsonl {
namespace {

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

/// Takes the members of a line. Each function returns false to stop with the error of result().
class LineHandler final : public JsonHandler {
 public:
  explicit LineHandler(Line& line) : line_(line) { members_.embedding.numbers.swap(line.values); }

  Result<void> result() {
    if (error_) return std::unexpected(std::move(*error_));
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

  bool start_object() override {
    if (depth_ == 0) return ++depth_ != 0;
    return refuse_where_it_matters("an object") && ++depth_ != 0;
  }
  bool end_object() override { return --depth_, true; }
  bool start_array() override {
    if (depth_ == 0)
      return stop(ErrorCode::bad_type, "the line is an array, expected a JSON object");
    if (is_in_member() && values_ != nullptr && values_->is_array) {
      in_array_ = true;
      return ++depth_ != 0;
    }
    return refuse_where_it_matters("an array") && ++depth_ != 0;
  }
  bool end_array() override {
    if (--depth_ == 1) in_array_ = false;
    return true;
  }

  bool key(std::string& name) override {
    if (depth_ != 1) return true;
    values_ = members_.named(name);
    is_id_ = name == "id";
    if ((values_ != nullptr && std::exchange(values_->is_there, true)) ||
        (is_id_ && std::exchange(has_id_, true)))
      return stop(ErrorCode::duplicate, fmt::format("member \"{}\"", name));
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
    if (!value)
      return stop(ErrorCode::bad_value,
                  fmt::format("the number {} is too large for float32", digits));
    return add(*value);
  }
  bool string(std::string& value) override {
    if (!is_id()) return refuse_where_it_matters("a string");
    line_.id = std::move(value);
    return true;
  }

 private:
  bool is_in_member() const { return depth_ == 1; }
  bool is_id() const { return is_in_member() && is_id_; }
  bool takes_number() const {
    return in_array_ || (is_in_member() && values_ != nullptr && !values_->is_array);
  }

  /// Refuses a value that the id or a member of numbers cannot have. In other members it is
  /// ignored.
  bool refuse_where_it_matters(std::string_view found) {
    if (depth_ == 0)
      return stop(ErrorCode::bad_type,
                  fmt::format("the line is {}, expected a JSON object", found));
    if (is_id()) {
      return stop(ErrorCode::bad_type,
                  fmt::format("\"id\" is {}, expected a string or a whole number", found));
    }
    if (in_array_ || (is_in_member() && values_ != nullptr)) {
      return stop(
          ErrorCode::bad_type,
          fmt::format("\"{}\" {} {}, expected {}", values_->name, in_array_ ? "holds" : "is", found,
                      values_->is_array ? "an array of numbers" : "a number"));
    }
    return true;
  }
  bool add(float value) {
    values_->numbers.push_back(value);
    return true;
  }
  bool stop(ErrorCode code, std::string what) {
    error_.emplace(code, std::move(what));
    return false;
  }

  Result<void> take_scores(const Values& scores, const Values& logits) {
    for (const Values* each : {&scores, &logits})
      if (!each->is_there)
        return fail(ErrorCode::missing, fmt::format("the line has no member \"{}\"", each->name));
    if (scores.numbers.size() != logits.numbers.size())
      return fail(
          ErrorCode::bad_count,
          fmt::format("the line has {} scores and {} logits, expected as many scores as logits",
                      scores.numbers.size(), logits.numbers.size()));
    line_.values = scores.numbers;
    line_.values.insert(line_.values.end(), logits.numbers.begin(), logits.numbers.end());
    return {};
  }

  Line& line_;
  std::optional<Error> error_;
  Members members_;
  std::size_t depth_ = 0;
  Values* values_ = nullptr;  // The numbers of the current member, if it has numbers.
  bool is_id_ = false;        // True if the current member is the id.
  bool has_id_ = false;
  bool in_array_ = false;
};

}  // namespace

Result<void> parse_line(std::string_view text, Line& line) {
  line.values.clear();
  line.id = {};
  LineHandler handler(line);
  static_cast<void>(EMBD_TRY(read_json_line(text, handler)));  // the handler knows if it stopped
  return handler.result();
}

}  // namespace embd::jsonl
