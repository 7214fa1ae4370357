#include "formats/vectors/jsonl/jsonl_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/decimal.h"
#include "base/json_reader.h"
#include "base/try.h"

namespace embd::jsonl {
namespace {

/// Takes the members of a line. Each function returns false to stop with the error of result().
class MemberHandler final : public JsonHandler {
 public:
  explicit MemberHandler(std::vector<Member>& members) : members_(members) {}

  Result<void> result() {
    if (error_) return std::unexpected(std::move(*error_));
    return {};
  }

  bool start_object() override { return ++depth_ != 0; }
  bool end_object() override { return --depth_, true; }
  bool start_array() override { return ++depth_ != 0; }
  bool end_array() override { return --depth_, true; }
  bool key(std::string& name) override {
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
  static_cast<void>(EMBD_TRY(read_json_line(text, handler)));  // the handler knows if it stopped
  return handler.result();
}

}  // namespace embd::jsonl
