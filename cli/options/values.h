#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "embd/enum_names.h"

// How the values of options are read: strictly, with messages that say what was expected.
namespace embd::cli {

/// The last name of "-t,--threads", as messages have it.
std::string display_name(const std::string& names);
/// Decimal digits without a sign or leading zeros, from `least` to `greatest`. `name`: of the
/// option, for the CLI::ValidationError that is thrown otherwise.
std::uint64_t parse_number(const std::string& name, const std::string& text, std::uint64_t least,
                           std::uint64_t greatest);
/// A finite number of at least 0, such as 0.5 or 1e-6. Throws CLI::ValidationError.
double parse_real(const std::string& name, const std::string& text);
/// Seconds, at most a year. Throws CLI::ValidationError.
double parse_seconds(const std::string& name, const std::string& text);
/// The same, and more than 0.
double parse_positive_seconds(const std::string& name, const std::string& text);
/// A whole number of bytes, or of the unit that follows it: 65536, 64KiB, 8MiB, 1GiB. Throws
/// CLI::ValidationError.
std::uint64_t parse_bytes(const std::string& name, const std::string& text);

template <class T>
struct NumberOf {
  using Type = T;
};
template <class T>
struct NumberOf<std::optional<T>> {
  using Type = T;
};

/// An option that takes a whole number. `value`: a number, or an optional of one.
template <class Value>
CLI::Option* add_number(CLI::App& verb, const std::string& names, Value& value,
                        const std::string& description, std::uint64_t least = 0,
                        std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max()) {
  using Number = typename NumberOf<Value>::Type;
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (greatest > most) greatest = most;
  return verb
      .add_option_function<std::string>(
          names,
          [&value, least, greatest, name = display_name(names)](const std::string& text) {
            value = static_cast<Number>(parse_number(name, text, least, greatest));
          },
          description)
      ->type_name("N");
}

/// An option whose text `parse`, one of the functions above, turns into a number.
template <class Value, class Parse>
CLI::Option* add_parsed(CLI::App& verb, const std::string& names, Value& value,
                        const std::string& description, Parse parse, const char* type_name) {
  return verb
      .add_option_function<std::string>(
          names,
          [&value, parse, name = display_name(names)](const std::string& text) {
            value = static_cast<Value>(parse(name, text));
          },
          description)
      ->type_name(type_name);
}

template <class Value>
CLI::Option* add_real(CLI::App& verb, const std::string& names, Value& value,
                      const std::string& description) {
  return add_parsed(verb, names, value, description, parse_real, "X");
}

inline CLI::Option* add_seconds(CLI::App& verb, const std::string& names, double& value,
                                const std::string& description) {
  return add_parsed(verb, names, value, description, parse_seconds, "SECONDS");
}
inline CLI::Option* add_positive_seconds(CLI::App& verb, const std::string& names, double& value,
                                         const std::string& description) {
  return add_parsed(verb, names, value, description, parse_positive_seconds, "SECONDS");
}

template <class Value>
CLI::Option* add_bytes(CLI::App& verb, const std::string& names, Value& value,
                       const std::string& description) {
  return add_parsed(verb, names, value, description, parse_bytes, "BYTES");
}

template <class T>
using Choices = std::vector<std::pair<std::string, T>>;

template <class T, std::size_t Count>
Choices<T> choices_of(const EnumNames<T, Count>& names) {
  return Choices<T>(names.begin(), names.end());
}

/// "mean|cls|max".
template <class T>
std::string joined_names(const Choices<T>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : "|") + name;
  return names;
}

/// An option that takes one of some words, which stand for values. `value` can be assigned them.
template <class T, class Value>
CLI::Option* add_choice(CLI::App& verb, const std::string& names, Value& value,
                        const Choices<T>& choices, const std::string& description) {
  const std::string words = joined_names(choices);
  return verb
      .add_option_function<std::string>(
          names,
          [&value, choices, words, option = display_name(names)](const std::string& text) {
            for (const auto& [name, chosen] : choices) {
              if (name != text) continue;
              value = chosen;
              return;
            }
            throw CLI::ValidationError(option, "\"" + text + "\", expected one of " + words);
          },
          description)
      ->type_name(words);
}

}  // namespace embd::cli
