#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "embd/error.h"
#include "jobs/options/option.h"

namespace embd::cli {

/// The value of Option::most_values for an option that takes any number of values.
inline constexpr int unlimited = std::numeric_limits<int>::max();

/// An option, a flag or a positional argument of a verb: what the parser accepts, and what the
/// help, the manual page and the completions say about it. After parsing it holds what was given.
struct Option {
  /// Stores the values that were given. If they are wrong, the error says what was expected, and
  /// the parser puts the name of the option before it.
  using Store = std::function<Result<void>(const std::vector<std::string>& values)>;

  std::string short_name;   ///< "-o", or empty
  std::string name;         ///< "--output", or empty; "INPUT" for a positional argument
  std::string value;        ///< the name of its value, such as "OUT"; empty for a flag
  std::string description;  ///< one sentence, for the help
  bool is_flag = false;     ///< takes no value; `store` gets "true" or "false"
  bool is_required = false;
  bool is_repeatable = false;  ///< takes one value each time it is given
  int least_values = 1;
  int most_values = 1;
  std::vector<std::string> excluded;  ///< names of options that cannot be given beside this one
  std::vector<std::string> needed;    ///< names of options without which this one cannot be given
  OptionGroup group = OptionGroup::general;  ///< the heading in the help
  OptionFormats formats = {};                ///< the formats it is for; empty: all
  bool is_of_reading = false;   ///< true if `formats` are read, false if written or searched
  std::string useless_without;  ///< the option without which it does nothing, or empty
  Store store;

  std::vector<std::string> given;   ///< values from the command line or the environment
  bool is_on_command_line = false;  ///< given there, not only in the environment

  // Setters. Each returns *this.
  Option& required();
  Option& type_name(std::string text);
  Option& repeatable();
  Option& expected(int least, int most);
  Option& excludes(std::vector<std::string> names);
  Option& needs(std::string name);
  Option& in(OptionGroup heading);
  Option& does_nothing_without(std::string name);

  /// Returns the long name, or the short one if there is no other.
  const std::string& display_name() const noexcept { return name.empty() ? short_name : name; }
  /// Returns display_name() without its dashes: "output", "k".
  std::string bare_name() const;
};

}  // namespace embd::cli
