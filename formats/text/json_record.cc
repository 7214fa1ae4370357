#include "formats/text/record_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "base/messages.h"
#include "base/try.h"

namespace embd {
namespace {

using Json = nlohmann::json;

/// The names of the members of an object.
class MemberNames final : public JsonHandler {
 public:
  std::vector<std::string> names;

  bool key(std::string& name) override {
    if (depth() == 1) names.push_back(std::move(name));
    return true;
  }
};

/// Takes the members that were asked for, and notices one that is repeated.
class RecordHandler final : public JsonHandler {
 public:
  RecordHandler(const RecordFields& fields, Record& record)
      : text_field_(fields.text),
        are_token_ids_(fields.are_token_ids),
        id_field_(fields.id),
        fields_(fields.further),
        values_(fields.further.names.size()),
        record_(record) {}

  /// Completes the record. Fails if a member is missing. `line` is the line that was parsed.
  Result<void> result(std::string_view line) {
    if (!has_text_) return missing(text_field_, line);
    if (!id_field_.empty() && !has_id_) return missing(id_field_, line);
    if (values_.empty()) return {};
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].empty()) return missing(fields_.names[i], line);
    record_.fields = fmt::format("[{}]", fmt::join(values_, ","));
    return {};
  }

  bool start_object() override { return depth() == 0 || accept_nested("an object"); }
  bool start_array() override {
    if (!is_token_ids() || value_ != nullptr) return accept_nested("an array");
    record_.text = '[';
    return true;
  }
  bool end_array() override {
    if (!is_token_ids()) return true;
    if (record_.text.size() == 1)
      return stop(ErrorCode::bad_value, "member {:?} is an empty array, expected token ids",
                  text_field_);
    record_.text += ']';
    return true;
  }
  bool key(std::string& name) override {
    if (depth() != 1) return true;
    at_text_ = name == text_field_;
    at_id_ = !id_field_.empty() && name == id_field_;
    const auto field = std::ranges::find(fields_.names, name);
    value_ = field == fields_.names.end() ? nullptr : &values_[field - fields_.names.begin()];
    if ((at_text_ && std::exchange(has_text_, true)) || (at_id_ && std::exchange(has_id_, true)) ||
        (value_ != nullptr && !value_->empty()))
      return stop(ErrorCode::duplicate, "member {:?}", name);
    return true;
  }
  bool null() override { return keep(nullptr) && accept("null"); }
  bool boolean(bool value) override { return keep(value) && accept(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override {
    return keep(value) && accept("a negative number");
  }
  bool number_unsigned(std::uint64_t value) override {
    if (is_in_token_ids()) return add_token_id(value);
    keep(value);
    if (depth() != 1 || !at_id_ || at_text_) return accept("a number");
    record_.id = value;
    return true;
  }
  bool number_float(double value, const std::string& digits) override {
    const bool is_whole = digits.find_first_of(".eE") == std::string::npos;
    if (is_kept_text() && is_whole) {
      return stop(ErrorCode::bad_value,
                  "member {:?} is {}, which does not fit in 64 "
                  "bits, expected a smaller number or a string",
                  name_of_value(), digits);
    }
    return keep(value) && accept(is_whole ? "a whole number beyond 64 bits"
                                          : "a number with a fraction or exponent");
  }
  bool string(std::string& value) override {
    keep(value);
    if (depth() != 1 || is_token_ids()) return accept("a string");
    if (at_id_) record_.id = value;
    if (at_text_) record_.text = std::move(value);
    return true;
  }

 private:
  /// Returns true if a value of this kind is allowed here and is neither text nor id; otherwise
  /// stops with an error.
  bool accept(std::string_view found) {
    if (depth() == 0)
      return stop(ErrorCode::bad_type, "the line is {}, expected a JSON object on each line",
                  found);
    if (is_in_token_ids())
      return stop(ErrorCode::bad_type,
                  "member {:?} contains {}, expected token ids, which are whole numbers from 0",
                  text_field_, found);
    if (depth() > 1 || (!at_text_ && !at_id_)) return true;
    const std::string_view expected = !at_text_        ? "a string or a whole number"
                                      : are_token_ids_ ? "an array of token ids"
                                                       : "a string";
    return stop(ErrorCode::bad_type, "member {:?} is {}, expected {}",
                at_text_ ? text_field_ : id_field_, found, expected);
  }
  /// Returns true at the beginning and at the end of the array of token ids.
  bool is_token_ids() const { return depth() == 1 && at_text_ && are_token_ids_; }
  bool is_in_token_ids() const { return depth() > 1 && at_text_ && are_token_ids_; }
  bool add_token_id(std::uint64_t value) {
    if (value > INT32_MAX)
      return stop(ErrorCode::bad_value,
                  "member {:?} contains {}, which is too large for a token id", text_field_, value);
    fmt::format_to(std::back_inserter(record_.text), "{}{}", record_.text.size() == 1 ? "" : ",",
                   value);
    return true;
  }
  bool accept_nested(std::string_view found) {
    if (depth() != 1 || value_ == nullptr) return accept(found);
    return stop(ErrorCode::bad_type, "member {:?} is {}, expected a single value", name_of_value(),
                found);
  }
  /// Stores a value if it belongs to a further field that was asked for.
  bool keep(const Json& value) {
    if (depth() == 1 && value_ != nullptr)
      *value_ = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return true;
  }
  /// Returns true in a further field that is not one of the number fields, so its value must stay
  /// as it is.
  bool is_kept_text() const {
    return depth() == 1 && value_ != nullptr &&
           value_ < values_.data() + static_cast<std::ptrdiff_t>(fields_.first_number);
  }
  const std::string& name_of_value() const { return fields_.names[value_ - values_.data()]; }
  static Result<void> missing(std::string_view name, std::string_view line) {
    MemberNames found;
    EMBD_TRY(read_json_line(line, found));
    return fail(ErrorCode::missing, "the record has no member {:?}, but {}", name,
                quoted_names(found.names));
  }

  std::string_view text_field_;
  bool are_token_ids_;
  std::string_view id_field_;
  const FurtherFields& fields_;
  std::vector<std::string> values_;  // of fields_, as JSON
  std::string* value_ = nullptr;     // of the member that is being read, if it is one of them
  Record& record_;
  bool at_text_ = false;
  bool at_id_ = false;
  bool has_text_ = false;
  bool has_id_ = false;
};

}  // namespace

Result<void> parse_json_record(std::string_view line, const RecordFields& fields, Record& record) {
  RecordHandler handler(fields, record);
  EMBD_TRY(read_json_line(line, handler));
  return handler.result(line);
}

}  // namespace embd
