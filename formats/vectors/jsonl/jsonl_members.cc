#include "formats/vectors/jsonl/jsonl_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/json_fault.h"

namespace embd::jsonl {
namespace {

using Json = nlohmann::json;

/// Handles the events of nlohmann's parser. Each returns false to stop with an error.
class MemberHandler final : public nlohmann::json_sax<Json> {
 public:
  explicit MemberHandler(std::vector<Member>& members) : members_(members) {}

  Result<void> result() {
    if (error_) return std::unexpected(std::move(*error_));
    return {};
  }

  bool start_object(std::size_t) override { return ++depth_ != 0; }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return ++depth_ != 0; }
  bool end_array() override { return --depth_, true; }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    is_read_ = name != "id" && name != "embedding" && members_.size() < most_members;
    if (!is_read_) return true;
    if (std::ranges::find(members_, name, &Member::name) != members_.end()) {
      error_.emplace(ErrorCode::duplicate, fmt::format("member {:?}", name));
      return false;
    }
    members_.push_back({name, {}});
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return true;
    return take(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t, const string_t& digits) override {
    float value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc() || digits.find_first_of(".eE") == std::string::npos) return true;
    return take(value);
  }
  bool string(string_t& value) override { return take(std::move(value)); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    error_.emplace(ErrorCode::bad_json, json_fault_in_line(error, position));
    return false;
  }

 private:
  template <class Value>
  bool take(Value&& value) {
    if (depth_ == 1 && is_read_) members_.back().value = std::forward<Value>(value);
    return true;
  }

  std::vector<Member>& members_;
  std::optional<Error> error_;
  std::size_t depth_ = 0;
  bool is_read_ = false;  // True if the current member is read.
};

}  // namespace

Result<void> parse_members(std::string_view text, std::vector<Member>& members) {
  members.clear();
  MemberHandler handler(members);
  Json::sax_parse(text, &handler);
  return handler.result();
}

}  // namespace embd::jsonl
