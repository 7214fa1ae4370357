#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "embd/enum_names.h"
#include "faces/cli/options/verb.h"

// Functions that read the values of options strictly. They fail with invalid_argument and a message
// that says what was expected; the parser puts the option's name before it.
namespace embd::cli {

/// Reads a whole number from `least` to `greatest`, in decimal digits without a sign or leading
/// zeros.
Result<std::uint64_t> parse_number(const std::string& text, std::uint64_t least,
                                   std::uint64_t greatest);
/// Reads a finite number of at least `least`, such as 0.5 or 1e-6.
Result<double> parse_real(const std::string& text, double least = -HUGE_VAL);
/// Reads a number of seconds, from 0 to a year.
Result<double> parse_seconds(const std::string& text);
/// Reads a number of seconds, more than 0 and at most a year.
Result<double> parse_positive_seconds(const std::string& text);
/// Reads a number of bytes, which may have a unit: 65536, 64KiB, 8MiB, 1GiB.
Result<std::uint64_t> parse_bytes(const std::string& text);

/// Returns the error for a wrong value, with a message such as "\"x\", expected a number".
std::unexpected<Error> unexpected_value(const std::string& text, const std::string& expected);

/// The type of a number that may be optional.
template <class T>
struct NumberOf {
  using Type = T;
};
template <class T>
struct NumberOf<std::optional<T>> {
  using Type = T;
};

/// Adds an option that takes a whole number and stores it in `value`, a number or an optional
/// number.
template <class Value>
Option& add_number(Verb& verb, const std::string& names, Value& value, std::string description,
                   std::uint64_t least = 0,
                   std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max()) {
  using Number = typename NumberOf<Value>::Type;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (greatest > most) greatest = most;
  const auto parse = [&value, least, greatest](const std::string& text) -> Result<void> {
    value = static_cast<Number>(EMBD_TRY(parse_number(text, least, greatest)));
    return {};
  };
  return verb.add_parsed(names, parse, std::move(description)).type_name("N");
}

/// Adds an option whose text `read`, one of the functions above, turns into a number.
template <class Value, class Read>
Option& add_read(Verb& verb, const std::string& names, Value& value, std::string description,
                 Read read) {
  const auto parse = [&value, read](const std::string& text) -> Result<void> {
    value = static_cast<Value>(EMBD_TRY(read(text)));
    return {};
  };
  return verb.add_parsed(names, parse, std::move(description));
}

/// Adds an option that takes a number that may have a fraction.
template <class Value>
Option& add_real(Verb& verb, const std::string& names, Value& value, std::string description) {
  const auto read = [](const std::string& text) { return parse_real(text); };
  return add_read(verb, names, value, std::move(description), read).type_name("X");
}
/// Adds --tolerance, the largest difference at which two values count as equal.
inline Option& add_tolerance(Verb& verb, double& value, std::string description) {
  const auto read = [](const std::string& text) { return parse_real(text, 0); };
  return add_read(verb, "--tolerance", value, std::move(description), read).type_name("X");
}

/// Adds an option that takes a number of seconds.
inline Option& add_seconds(Verb& verb, const std::string& names, double& value,
                           std::string description) {
  return add_read(verb, names, value, std::move(description), parse_seconds).type_name("SECONDS");
}
/// Adds an option that takes a number of seconds above 0.
inline Option& add_positive_seconds(Verb& verb, const std::string& names, double& value,
                                    std::string description) {
  return add_read(verb, names, value, std::move(description), parse_positive_seconds)
      .type_name("SECONDS");
}

/// Adds an option that takes a number of bytes.
template <class Value>
Option& add_bytes(Verb& verb, const std::string& names, Value& value, std::string description) {
  return add_read(verb, names, value, std::move(description), parse_bytes).type_name("BYTES");
}

/// The words that an option takes, and the value that each stands for.
template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T, std::size_t Count>
Choices<T> choices_of(const EnumNames<T, Count>& names) {
  return Choices<T>(names.begin(), names.end());
}

/// Returns the words of an option for the help, such as "mean|cls|max".
template <class T>
std::string joined_names(const Choices<T>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : "|") + name;
  return names;
}

/// Adds an option that takes one of the words of `choices`, and assigns its value to `value`.
template <class T, class Value>
Option& add_choice(Verb& verb, const std::string& names, Value& value, const Choices<T>& choices,
                   std::string description) {
  const auto parse = [&value, choices](const std::string& text) -> Result<void> {
    for (const auto& [name, chosen] : choices) {
      if (name != text) continue;
      value = chosen;
      return {};
    }
    return unexpected_value(text, "one of " + joined_names(choices));
  };
  return verb.add_parsed(names, parse, std::move(description)).type_name(joined_names(choices));
}

}  // namespace embd::cli
