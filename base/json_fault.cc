#include "base/json_fault.h"

#include <fmt/format.h>

#include <string_view>

namespace embd {

std::string json_fault(const nlohmann::json::exception& error) {
  // The only number that a parser refuses.
  if (dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr)
    return "a number is too large for a double";
  // "[json.exception.parse_error.101] parse error at line 1, column 17: syntax error …; last read:
  // '…'"
  std::string_view what = error.what();
  what = what.substr(0, what.find("; last read: "));
  const std::size_t reason = what.find(": ", what.find("column "));
  return std::string(reason == std::string_view::npos ? what : what.substr(reason + 2));
}

std::string json_fault_in_line(const nlohmann::json::exception& error, std::size_t position) {
  const std::string fault = json_fault(error);
  if (dynamic_cast<const nlohmann::json::parse_error*>(&error) == nullptr)
    return fmt::format("{}, at byte {} of the line", fault, position);
  if (fault.find("unexpected end of input") != std::string::npos)
    return "the line ends before its JSON does";
  return fmt::format("unexpected text at byte {} of the line", position);
}

}  // namespace embd
