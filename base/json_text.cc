#include "base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/elements.h"
#include "base/try.h"

namespace embd {

void append_json_string(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(text, json);
  return json;
}

void append_json_strings(std::span<const std::string> texts, std::string& out) {
  out += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out += ',';
    append_json_string(texts[i], out);
  }
  out += ']';
}

void append_json_float(float value, std::string& out) {
  out += std::isfinite(value) ? fmt::to_string(value) : "null";
}

void append_json_number(ElementType type, Bytes element, std::string& out) {
  const auto append_integer = [&]<class Integer>() {
    out += fmt::to_string(load<Integer>(element));
  };
  if (with_integer_type(type, append_integer)) return;
  float value = 0;
  floats_from_elements(type, element, std::span(&value, 1));
  const std::size_t begin = out.size();
  append_json_float(value, out);
  if (out.find_first_of(".en", begin) == std::string::npos) out += ".0";
}

namespace {

using Json = nlohmann::json;

/// The id of nlohmann-json's error for a number that no double can hold.
constexpr int number_overflow = 406;

/// The number of bytes of an escape such as "\ud800".
constexpr std::size_t escape_bytes = 6;

/// Returns the code unit of the escape "\uXXXX" at `at`; nothing if there is none.
std::optional<unsigned> code_unit_at(std::string_view text, std::size_t at) {
  const std::string_view escape = text.substr(std::min(at, text.size()), escape_bytes);
  if (escape.size() < escape_bytes || !escape.starts_with("\\u")) return std::nullopt;
  unsigned unit = 0;
  const char* const end = escape.data() + escape.size();
  const auto parsed = std::from_chars(escape.data() + 2, end, unit, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return unit;
}

bool is_high(unsigned unit) {
  return unit >= 0xD800 && unit < 0xDC00;
}
bool is_low(unsigned unit) {
  return unit >= 0xDC00 && unit < 0xE000;
}

/// Returns the place of the first half of a surrogate pair from `at` on; npos if there is none.
std::size_t find_half_surrogate(std::string_view text, std::size_t at) {
  while ((at = text.find('\\', at)) != std::string_view::npos) {
    const auto unit = code_unit_at(text, at);
    if (!unit) {
      at += 2;
    } else if (is_high(*unit) && is_low(code_unit_at(text, at + escape_bytes).value_or(0))) {
      at += 2 * escape_bytes;
    } else if (is_high(*unit) || is_low(*unit)) {
      return at;
    } else {
      at += escape_bytes;
    }
  }
  return at;
}

/// Returns the fault of what nlohmann-json would take; nothing if there is none.
std::optional<JsonFault> find_fault(std::string_view text) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return JsonFault{.what = "a NUL byte was found, which JSON cannot contain", .at = nul};
  const std::size_t half = find_half_surrogate(text, 0);
  if (half == std::string_view::npos) return std::nullopt;
  return JsonFault{
      .code = ErrorCode::invalid_utf8,
      .what = fmt::format("{} is half of a surrogate pair, expected a high half, \\ud800 to "
                          "\\udbff, followed by a low one, \\udc00 to \\udfff",
                          text.substr(half, escape_bytes)),
      .at = half};
}

/// Returns the place of the first bracket that is nested deeper than `max_depth`.
std::size_t find_too_deep(std::string_view text, int max_depth) {
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
  return text.size();
}

/// Returns why a text is not JSON, in the words of nlohmann-json, without the place and without the
/// text that was read.
std::string words_of(const Json::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 17: syntax error …; last read:
  // '…'"
  std::string_view what = error.what();
  what = what.substr(0, what.find("; last read: "));
  const std::size_t reason = what.find(": ", what.find("column "));
  return std::string(reason == std::string_view::npos ? what : what.substr(reason + 2));
}

}  // namespace

/// Hands each part of a text that nlohmann-json finds to a handler.
class JsonEvents {
 public:
  JsonEvents(JsonHandler& handler, int max_depth)
      : handler_(handler), max_depth_(static_cast<std::size_t>(max_depth)) {
    handler_.depth_ = 0;
  }

  bool null() { return handler_.null(); }
  bool boolean(bool value) { return handler_.boolean(value); }
  bool number_integer(std::int64_t value) { return handler_.number_integer(value); }
  bool number_unsigned(std::uint64_t value) { return handler_.number_unsigned(value); }
  bool number_float(double value, const std::string& digits) {
    return handler_.number_float(value, digits);
  }
  bool string(std::string& value) { return handler_.string(value); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // No JSON text has it.
  bool start_object(std::size_t /*size*/) { return enter(&JsonHandler::start_object); }
  bool key(std::string& name) { return handler_.key(name); }
  bool end_object() { return --handler_.depth_, handler_.end_object(); }
  bool start_array(std::size_t /*size*/) { return enter(&JsonHandler::start_array); }
  bool end_array() { return --handler_.depth_, handler_.end_array(); }
  bool parse_error(std::size_t position, const std::string& /*read*/,
                   const Json::exception& error) {
    const bool is_number = error.id == number_overflow;
    fault_ = {.what = is_number ? "a number is too large for a double" : words_of(error),
              .at = position - std::min<std::size_t>(position, 1),
              .is_syntax = !is_number};
    return false;
  }

  bool is_too_deep() const { return is_too_deep_; }
  std::optional<JsonFault> take_fault() { return std::move(fault_); }

 private:
  bool enter(bool (JsonHandler::*start)()) {
    is_too_deep_ = handler_.depth_ == max_depth_;
    if (is_too_deep_ || !(handler_.*start)()) return false;
    ++handler_.depth_;
    return true;
  }

  JsonHandler& handler_;
  std::size_t max_depth_;
  bool is_too_deep_ = false;
  std::optional<JsonFault> fault_;
};

std::expected<bool, JsonFault> read_json(std::string_view text, JsonHandler& handler,
                                         int max_depth) {
  if (auto fault = find_fault(text)) return std::unexpected(std::move(*fault));
  JsonEvents events(handler, max_depth);
  if (Json::sax_parse(text, &events)) return true;
  if (auto fault = events.take_fault()) return std::unexpected(std::move(*fault));
  if (!events.is_too_deep()) return false;
  return std::unexpected(JsonFault{
      .what = fmt::format("arrays and objects are nested deeper than {} levels", max_depth),
      .at = find_too_deep(text, max_depth)});
}

Result<void> read_json_line(std::string_view line, JsonHandler& handler) {
  const auto read = read_json(line, handler);
  if (handler.error_) return std::unexpected(std::move(*handler.error_));
  if (read) return {};
  const JsonFault& fault = read.error();
  if (fault.is_syntax && fault.at >= line.size())
    return fail(fault.code, "the line ends before its JSON does");
  const std::string what = fault.is_syntax ? "unexpected text" : fault.what + ",";
  return fail(fault.code, "{} at byte {} of the line", what, fault.at + 1);
}

void replace_half_surrogates(std::string& text) {
  for (std::size_t at = 0; (at = find_half_surrogate(text, at)) != std::string::npos;)
    text.replace(at, escape_bytes, "\\ufffd");
}

}  // namespace embd
