#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"

/// The dialect of JSON in CVC headers is that of Python. NaN, Infinity and -Infinity are numbers. A
/// writer must print exactly what json.dumps(sort_keys=True, separators=(",", ":")) of Python
/// prints.
namespace embd::cvc {

using Json = nlohmann::json;

/// The greatest depth of nesting. Deeper values are refused, because values are walked by
/// recursion.
inline constexpr int max_json_depth = 64;

/// Parses the text of a header. `offset` is where `text` begins in its file. A number that JSON
/// cannot express is kept as a marked string; number_of() reads it. Fails with invalid_utf8 or
/// bad_json; the error has the offset.
Result<Json> parse_json(Bytes text, std::uint64_t offset);

/// Returns true if the JSON has a string that could be mistaken for a marked number: one that
/// begins with U+FDD0.
bool has_mark(std::string_view json);

/// Returns the value of a number, also of NaN and the infinities. Returns nullopt for any other
/// value.
std::optional<double> number_of(const Json& value);

/// Returns a copy for printing as JSON. In it, the numbers that JSON cannot express are the strings
/// "NaN", "Infinity" and "-Infinity".
Json printable(const Json& value);

/// Returns a value as Python prints it: keys sorted, no spaces, ASCII only, floats as by
/// python_float().
std::string python_json(const Json& value);

/// Returns a float as repr() of Python prints it: the shortest decimal that reads back to the same
/// value, with ".0" or an exponent.
std::string python_float(double value);

}  // namespace embd::cvc
