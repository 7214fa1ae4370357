#include "formats/vectors/cvc/cvc_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd::cvc {
namespace {

// U+FDD0 is a noncharacter for a program's internal use, so that no other string is mistaken for a
// marked number.
constexpr std::string_view mark = "\uFDD0";

struct BareNumber {
  std::string_view token;
  double value;
};
constexpr std::array<BareNumber, 3> bare_numbers = {{
    {"NaN", std::numeric_limits<double>::quiet_NaN()},
    {"Infinity", std::numeric_limits<double>::infinity()},
    {"-Infinity", -std::numeric_limits<double>::infinity()},
}};

const BareNumber* bare_number_at(std::string_view text) {
  for (const BareNumber& bare : bare_numbers)
    if (text.starts_with(bare.token)) return &bare;
  return nullptr;
}

const BareNumber* marked_number(const Json& value) {
  if (!value.is_string()) return nullptr;
  const std::string_view text = value.get_ref<const std::string&>();
  if (!text.starts_with(mark)) return nullptr;
  for (const BareNumber& bare : bare_numbers)
    if (text.substr(mark.size()) == bare.token) return &bare;
  return nullptr;
}

/// JSON text in which numbers like NaN became marked strings, and where each of these begins.
struct Marked {
  std::string text;
  std::vector<std::size_t> ends;    // The end of each marked string in `text`.
  std::vector<std::size_t> shifts;  // The number of bytes that were added up to there.
};

Marked mark_bare_numbers(std::string_view text) {
  Marked out;
  out.text.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      out.text.append(text, i, end - i);
      i = end;
      continue;
    }
    if (c == 'N' || c == 'I' || c == '-') {
      if (const BareNumber* bare = bare_number_at(text.substr(i))) {
        i += bare->token.size();
        out.text.append("\"").append(mark).append(bare->token).append("\"");
        out.ends.push_back(out.text.size());
        out.shifts.push_back(out.text.size() - i);
        continue;
      }
    }
    out.text.push_back(c);
    ++i;
  }
  return out;
}

std::uint64_t original_offset(const Marked& marked, std::size_t position) {
  const auto next = std::upper_bound(marked.ends.begin(), marked.ends.end(), position);
  const auto count = static_cast<std::size_t>(next - marked.ends.begin());
  return count == 0 ? position : position - marked.shifts[count - 1];
}

void append_python(std::string& out, const Json& value) {
  if (const BareNumber* bare = marked_number(value)) {
    out += bare->token;
  } else if (value.is_object()) {
    char separator = '{';
    for (const auto& [key, member] : value.items()) {
      out += separator;
      out += Json(key).dump(-1, ' ', true);
      out += ':';
      append_python(out, member);
      separator = ',';
    }
    out += separator == '{' ? "{}" : "}";
  } else if (value.is_array()) {
    char separator = '[';
    for (const Json& element : value) {
      out += separator;
      append_python(out, element);
      separator = ',';
    }
    out += separator == '[' ? "[]" : "]";
  } else if (value.is_number_float()) {
    out += python_float(value.get<double>());
  } else {
    out += value.dump(-1, ' ', true);
  }
}

}  // namespace

Result<Json> parse_json(Bytes bytes, std::uint64_t offset) {
  const std::string_view text = as_text(bytes);
  if (const auto invalid = find_invalid_utf8(text)) {
    return fail_at(offset + *invalid, ErrorCode::invalid_utf8, "the JSON is not UTF-8");
  }
  const Marked marked = mark_bare_numbers(text);
  auto json = embd::parse_json(marked.text, 0, max_json_depth, NameTwice::last_counts);
  if (json) return json;
  // The offset of this error is one in the marked text.
  const Error& error = json.error();
  return fail_at(offset + original_offset(marked, error.offset().value_or(0)), error.code(),
                 error.what());
}

bool has_mark(std::string_view json) {
  for (std::size_t at = json.find('"'); at != json.npos; at = json.find('"', at + 1)) {
    const std::string_view string = json.substr(at + 1);
    if (string.starts_with(mark) || string.starts_with("\\ufdd0") || string.starts_with("\\uFDD0"))
      return true;
  }
  return false;
}

std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (const BareNumber* bare = marked_number(value)) return bare->value;
  return std::nullopt;
}

Json printable(const Json& value) {
  if (const BareNumber* bare = marked_number(value)) return bare->token;
  if (!value.is_structured()) return value;
  Json copy = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const Json& element : value) copy.push_back(printable(element));
  } else {
    for (const auto& [key, member] : value.items()) copy[key] = printable(member);
  }
  return copy;
}

std::string python_json(const Json& value) {
  std::string out;
  append_python(out, value);
  return out;
}

std::string python_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 32> buffer = {};
  const auto print = [&](std::chars_format style) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, style).ptr;
    return std::string_view(buffer.data(), end);
  };
  const std::string_view scientific = print(std::chars_format::scientific);
  int exponent = 0;
  const char* digits = scientific.data() + scientific.find('e') + 1;
  std::from_chars(digits + (*digits == '+'), scientific.data() + scientific.size(), exponent);
  if (exponent < -4 || exponent >= 16) return std::string(scientific);
  std::string text(print(std::chars_format::fixed));
  if (!text.contains('.')) text += ".0";
  return text;
}

}  // namespace embd::cvc
