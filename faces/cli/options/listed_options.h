#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.h"
#include "embd/enum_names.h"
#include "faces/cli/options/verb.h"
#include "jobs/options/option.h"

namespace embd::cli {

// Functions that read the values of options strictly. They fail with invalid_argument and a message
// that says what was expected; the parser puts the option's name before it.

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

// Functions that add options of the lists in jobs/options to a verb. The lists hold their names,
// values and help texts.

/// Returns the name of an option on the command line: "--chunk-rows" for "chunk_rows".
std::string dashed(std::string_view name);
/// Reads a value that is one character, or "tab".
Result<char> parse_character(const std::string& text);
/// Reads a value that names a part of an input: "I/N", such as "0/4".
Result<InputPart> parse_part(const std::string& text);

/// Returns the names of an option with its letter: "-t,--threads".
template <class Options, class Value>
std::string names_of(const OptionOf<Options, Value>& option) {
  return option.letter.empty() ? dashed(option.option)
                               : "-" + std::string(option.letter) + "," + dashed(option.option);
}

/// Returns the words that an option takes, including the word for an option that is not set.
template <class Options, class Value>
Choices<Value> choices_of(const OptionOf<Options, Value>& option) {
  Choices<Value> choices;
  if (!option.unset.empty()) choices.emplace_back(option.unset, Value());
  for (const auto& [word, value] : option.words) choices.emplace_back(word, value);
  return choices;
}

/// Adds an option whose text `read` turns into a value.
template <class Value, class Read>
Option& add_read_as(Verb& verb, const std::string& names, Value& value, std::string help,
                    Read read) {
  return verb.add_parsed(
      names,
      [&value, read](const std::string& text) -> Result<void> {
        value = EMBD_TRY(read(text));
        return {};
      },
      std::move(help));
}

/// Adds an option that stores its value in `value`. The type of the value decides what the option
/// takes.
template <class Options, class Value, class Bound>
Option& add_by_type(Verb& verb, const OptionOf<Options, Value>& option, Bound& value) {
  using Type = Given<Value>;
  const std::string names = names_of(option);
  const std::string help(option.help);
  if constexpr (std::is_same_v<Type, bool>) {
    if (!option.words.empty()) return add_choice(verb, names, value, choices_of(option), help);
    return option.option.starts_with("no_")
               ? verb.add_negative_flag(names, value, help)
               : verb.add_switch(names, help, [&value](bool is_on) { value = is_on; });
  } else if constexpr (std::is_enum_v<Type>) {
    return add_choice(verb, names, value, choices_of(option), help);
  } else if constexpr (std::is_same_v<Type, char>) {
    return add_read_as(verb, names, value, help, parse_character);
  } else if constexpr (std::is_same_v<Type, InputPart>) {
    return add_read_as(verb, names, value, help, parse_part);
  } else if constexpr (std::is_integral_v<Type>) {
    return add_number(verb, names, value, help, option.least, option.greatest);
  } else if constexpr (std::is_floating_point_v<Type>) {
    return add_real(verb, names, value, help);
  } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
    return verb.add_option(names, value, help).repeatable();
  } else {
    return verb.add_option(names, value, help);
  }
}

/// Adds an option of a list with all that the list says about it. Its value is stored in `value`,
/// the member of the structure or a variable of the verb.
template <class Options, class Value, class Bound>
Option& add_listed(Verb& verb, const OptionOf<Options, Value>& option, Bound& value) {
  Option& added = add_by_type(verb, option, value);
  if (!option.value.empty()) added.type_name(std::string(option.value));
  added.group = option.group;
  added.formats = option.formats;
  added.is_of_reading = std::is_same_v<Options, ReadOptions>;
  if (!option.needs.empty()) added.useless_without = dashed(option.needs);
  return added;
}
/// Adds the option for a member of a structure: add_listed<&CvcOptions::mmap>(verb, options.mmap).
template <auto member, class Bound>
Option& add_listed(Verb& verb, Bound& value) {
  return add_listed(verb, option_of<member>(), value);
}

using Names = std::initializer_list<std::string_view>;

/// Adds all options of a structure that have a name on the command line, except those whose
/// OptionOf::name is in `without`. Members that are structures of options themselves are not added.
template <class Options>
void add_all_listed(Verb& verb, Options& options, Names without = {}) {
  for_each_own_option<Options>([&](const auto& option) {
    if (!option.option.empty() && std::ranges::find(without, option.name) == without.end())
      add_listed(verb, option, options.*option.member);
  });
}
/// Adds the options of a structure whose OptionOf::name is in `names`.
template <class Options>
void add_some_listed(Verb& verb, Options& options, Names names) {
  for_each_own_option<Options>([&](const auto& option) {
    if (std::ranges::find(names, option.name) != names.end())
      add_listed(verb, option, options.*option.member);
  });
}

}  // namespace embd::cli
