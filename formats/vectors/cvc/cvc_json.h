#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

/// The JSON dialect of CVC headers, which is Python's: NaN, Infinity and -Infinity are numbers, and
/// a writer has to print exactly what Python's json.dumps(sort_keys=True, separators=(",", ":"))
/// prints.
namespace embd::cvc {

using Json = nlohmann::json;

/// Deeper nesting is refused: values are walked by recursion.
inline constexpr int max_json_depth = 64;

/// `offset`: where `text` begins in its file. A number that JSON has no word for is held as a
/// marked string; read it with number_of(). Errors: invalid_utf8, bad_json, each with the offset.
Result<Json> parse_json(Bytes text, std::uint64_t offset);

/// True if the JSON has a string that may be taken for a marked one: it begins with U+FDD0.
bool has_mark(std::string_view json);

/// The value of a number, the three that are no JSON included; nullopt for anything else.
std::optional<double> number_of(const Json& value);

/// A copy in which the three numbers that are no JSON are the strings "NaN", "Infinity" and
/// "-Infinity", for printing as JSON.
Json printable(const Json& value);

/// Python's text of a value: keys sorted, no spaces, ASCII only, floats as python_float().
std::string python_json(const Json& value);

/// Python's repr() of a float: the shortest decimal that reads back, with ".0" or an exponent.
std::string python_float(double value);

}  // namespace embd::cvc
