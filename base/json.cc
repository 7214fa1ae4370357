#include "base/json.h"

#include <fmt/format.h>

#include <new>
#include <optional>
#include <string>

#include "base/json_fault.h"

namespace embd {
namespace {

/// Returns the offset of the first bracket that is nested deeper than `max_depth`; nothing if there
/// is none.
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
    return refuse(ErrorCode::bad_json, json_fault(error), error.byte > 0 ? error.byte - 1 : 0);
  } catch (const nlohmann::json::out_of_range& error) {
    return refuse(ErrorCode::bad_json, json_fault(error), 0);
  } catch (const std::bad_alloc&) {
    return refuse(ErrorCode::out_of_memory, "there is not enough memory for the JSON", 0);
  }
}

}  // namespace embd
