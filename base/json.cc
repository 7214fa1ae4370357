#include "base/json.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <string>

namespace embd {
namespace {

/// The offset of the bracket that nests deeper than `max_depth`; nothing if none does.
std::optional<std::size_t> find_too_deep(std::string_view text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

/// "[json.exception.parse_error.101] parse error at line 1, column 17: syntax error …; last read:
/// '…'" without what precedes the reason, and without the text, which may be long and of any bytes.
std::string reason_of(std::string_view what) {
  what = what.substr(0, what.find("; last read: "));
  const std::size_t reason = what.find(": ", what.find("column "));
  return std::string(reason == std::string_view::npos ? what : what.substr(reason + 2));
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, std::uint64_t text_at,
                                  const nlohmann::json::parser_callback_t& watch, int max_depth) {
  const auto refuse = [text_at](ErrorCode code, std::string what, std::size_t at) {
    return std::unexpected(Error(code, std::move(what)).at_offset(text_at + at));
  };
  if (const auto deep = find_too_deep(text, max_depth))
    return refuse(ErrorCode::bad_json,
                  fmt::format("arrays and objects are nested deeper than {} levels", max_depth),
                  *deep);
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::parse_error& error) {
    return refuse(ErrorCode::bad_json, reason_of(error.what()),
                  error.byte > 0 ? error.byte - 1 : 0);
  } catch (const nlohmann::json::out_of_range&) {
    return refuse(ErrorCode::bad_json, "a number is too large for a double", 0);
  } catch (const std::bad_alloc&) {
    return refuse(ErrorCode::out_of_memory, "there is not enough memory for the JSON", 0);
  }
}

}  // namespace embd
