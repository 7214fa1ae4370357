#include "text/json_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/try.h"

namespace embd {
namespace {

using Json = nlohmann::json;

/// Takes the events of nlohmann's parser: no tree is built, and a member named twice is seen.
class RecordHandler final : public nlohmann::json_sax<Json> {
 public:
  RecordHandler(std::string_view text_field, std::string_view id_field, Record& record)
      : text_field_(text_field), id_field_(id_field), record_(record) {}

  Result<void> result() {
    if (error_) return std::unexpected(std::move(*error_));
    if (!has_text_) return fail(ErrorCode::missing, fmt::format("member {:?}", text_field_));
    if (!id_field_.empty() && !has_id_)
      return fail(ErrorCode::missing, fmt::format("member {:?}", id_field_));
    return {};
  }

  bool start_object(std::size_t) override {
    return (depth_ == 0 || accept("an object")) && ++depth_ != 0;
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return accept("an array") && ++depth_ != 0; }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    at_text_ = name == text_field_;
    at_id_ = !id_field_.empty() && name == id_field_;
    if ((at_text_ && std::exchange(has_text_, true)) || (at_id_ && std::exchange(has_id_, true)))
      return stop(ErrorCode::duplicate, fmt::format("member {:?}", name));
    return true;
  }
  bool null() override { return accept("null"); }
  bool boolean(bool value) override { return accept(value ? "true" : "false"); }
  bool number_integer(number_integer_t) override { return accept("a negative number"); }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 1 || !at_id_ || at_text_) return accept("a number");
    record_.id = value;
    return true;
  }
  bool number_float(number_float_t, const string_t&) override {
    return accept("a number with a fraction or exponent");
  }
  bool string(string_t& value) override {
    if (depth_ != 1) return accept("a string");
    if (at_id_) record_.id = value;
    if (at_text_) record_.text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return accept("binary"); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return stop(ErrorCode::bad_json,
                fmt::format("unexpected text at byte {} of the line", position));
  }

 private:
  /// True where a value of this kind says nothing about text or id.
  bool accept(std::string_view found) {
    if (depth_ == 0)
      return stop(ErrorCode::bad_type, fmt::format("{}, expected a JSON object", found));
    if (depth_ > 1 || (!at_text_ && !at_id_)) return true;
    return stop(ErrorCode::bad_type, fmt::format("member {:?} is {}, expected a string{}",
                                                 at_text_ ? text_field_ : id_field_, found,
                                                 at_text_ ? "" : " or a whole number"));
  }
  bool stop(ErrorCode code, std::string what) {
    error_.emplace(code, std::move(what));
    return false;
  }

  std::string_view text_field_;
  std::string_view id_field_;
  Record& record_;
  std::optional<Error> error_;
  std::size_t depth_ = 0;
  bool at_text_ = false;
  bool at_id_ = false;
  bool has_text_ = false;
  bool has_id_ = false;
};

}  // namespace

Result<void> parse_json_record(std::string_view line, std::string_view text_field,
                               std::string_view id_field, Record& record) {
  RecordHandler handler(text_field, id_field, record);
  Json::sax_parse(line, &handler);
  return handler.result();
}

}  // namespace embd
