#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "faces/cli/options/values.h"
#include "faces/cli/options/verb.h"
#include "jobs/options/option.h"

// Functions that add options of the lists in jobs/options to a verb. The lists hold their names,
// values and help texts.
namespace embd::cli {

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
