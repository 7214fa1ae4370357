#include "base/json_fault.h"

#include <fmt/format.h>

#include <string_view>

namespace embd {
namespace {

/// The id of nlohmann-json's error for a number that no double can hold.
constexpr int number_overflow = 406;

}  // namespace

std::string json_fault(const nlohmann::json::exception& error) {
  if (error.id == number_overflow) return "a number is too large for a double";
  // "[json.exception.parse_error.101] parse error at line 1, column 17: syntax error …; last read:
  // '…'"
  std::string_view what = error.what();
  what = what.substr(0, what.find("; last read: "));
  const std::size_t reason = what.find(": ", what.find("column "));
  return std::string(reason == std::string_view::npos ? what : what.substr(reason + 2));
}

std::string json_fault_in_line(const nlohmann::json::exception& error, std::size_t position) {
  const std::string fault = json_fault(error);
  if (error.id == number_overflow)
    return fmt::format("{}, at byte {} of the line", fault, position);
  if (fault.find("unexpected end of input") != std::string::npos)
    return "the line ends before its JSON does";
  return fmt::format("unexpected text at byte {} of the line", position);
}

}  // namespace embd
