#include "formats/vectors/jsonl/jsonl_line.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/try.h"

namespace embd::jsonl {
namespace {

using Json = nlohmann::json;

/// Takes the events of nlohmann's parser, so that no tree is built and a number's digits are seen.
/// Each event returns false to stop with error().
class LineHandler final : public nlohmann::json_sax<Json> {
 public:
  explicit LineHandler(Line& line) : line_(line) {}

  Result<void> result() {
    if (error_) return std::unexpected(std::move(*error_));
    if (!has_embedding_) return fail(ErrorCode::missing, "member \"embedding\"");
    return {};
  }

  bool start_object(std::size_t) override {
    if (depth_ == 0) return ++depth_ != 0;
    return refuse_where_it_matters("an object") && ++depth_ != 0;
  }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override {
    if (depth_ == 0) return stop(ErrorCode::bad_type, "an array, expected an object");
    if (depth_ == 1 && member_ == Member::embedding) {
      in_embedding_ = true;
      return ++depth_ != 0;
    }
    return refuse_where_it_matters("an array") && ++depth_ != 0;
  }
  bool end_array() override {
    if (--depth_ == 1) in_embedding_ = false;
    return true;
  }

  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    member_ = name == "embedding" ? Member::embedding : name == "id" ? Member::id : Member::other;
    if (member_ == Member::embedding && std::exchange(has_embedding_, true))
      return stop(ErrorCode::duplicate, "member \"embedding\"");
    if (member_ == Member::id && std::exchange(has_id_, true))
      return stop(ErrorCode::duplicate, "member \"id\"");
    return true;
  }

  bool null() override { return refuse_where_it_matters("null"); }
  bool boolean(bool value) override { return refuse_where_it_matters(value ? "true" : "false"); }
  bool binary(binary_t&) override { return refuse_where_it_matters("binary"); }
  bool number_integer(number_integer_t value) override {
    // A zero comes here only with its sign: "-0".
    if (in_embedding_) return add(value == 0 ? -0.0F : static_cast<float>(value));
    return refuse_where_it_matters("a negative number");
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (in_embedding_) return add(static_cast<float>(value));
    if (!is_id()) return refuse_where_it_matters("a number");
    line_.id = value;
    return true;
  }
  bool number_float(number_float_t, const string_t& digits) override {
    if (!in_embedding_) return refuse_where_it_matters("a number with a fraction");
    float value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range) {
      // Too large, or so small that it is zero; strtof tells the two apart.
      value = static_cast<float>(std::strtod(digits.c_str(), nullptr));
    }
    if (!std::isfinite(value))
      return stop(ErrorCode::bad_value, fmt::format("{} is outside float32", digits));
    return add(value);
  }
  bool string(string_t& value) override {
    if (!is_id()) return refuse_where_it_matters("a string");
    line_.id = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return stop(ErrorCode::bad_json,
                fmt::format("unexpected text at byte {} of the line", position));
  }

 private:
  enum class Member { other, id, embedding };

  bool is_id() const { return depth_ == 1 && member_ == Member::id; }

  /// A value of a kind that neither the id nor the embedding can have: passed over elsewhere.
  bool refuse_where_it_matters(std::string_view found) {
    if (depth_ == 0) return stop(ErrorCode::bad_type, fmt::format("{}, expected an object", found));
    if (is_id()) {
      return stop(ErrorCode::bad_type,
                  fmt::format("\"id\" is {}, expected a string or a whole number", found));
    }
    if (in_embedding_ || (depth_ == 1 && member_ == Member::embedding)) {
      return stop(ErrorCode::bad_type,
                  fmt::format("\"embedding\" {} {}, expected an array of numbers",
                              in_embedding_ ? "holds" : "is", found));
    }
    return true;
  }
  bool add(float value) {
    line_.embedding.push_back(value);
    return true;
  }
  bool stop(ErrorCode code, std::string what) {
    error_.emplace(code, std::move(what));
    return false;
  }

  Line& line_;
  std::optional<Error> error_;
  std::size_t depth_ = 0;
  Member member_ = Member::other;
  bool in_embedding_ = false;
  bool has_embedding_ = false;
  bool has_id_ = false;
};

}  // namespace

Result<void> parse_line(std::string_view text, Line& line) {
  line.embedding.clear();
  line.id = {};
  LineHandler handler(line);
  Json::sax_parse(text, &handler);
  return handler.result();
}

}  // namespace embd::jsonl
