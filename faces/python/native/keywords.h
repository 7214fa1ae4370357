#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "jobs/options/option.h"

// Functions that set options from keyword arguments. The lists in jobs/options say which options
// there are and which values they take.
namespace embd::python {

// Functions that convert a Python object to the value of an option. They raise TypeError if the
// object has another type, and ValueError if the option does not take the value. `keyword` is the
// option's name in messages.

bool flag_of(nanobind::handle object, std::string_view keyword);
std::uint64_t number_of(nanobind::handle object, std::string_view keyword, std::uint64_t least,
                        std::uint64_t greatest);
double real_of(nanobind::handle object, std::string_view keyword);
std::string text_of(nanobind::handle object, std::string_view keyword);
/// Takes a str or a path.
std::filesystem::path path_of(nanobind::handle object, std::string_view keyword);
/// Takes a str or a sequence of str.
std::vector<std::string> texts_of(nanobind::handle object, std::string_view keyword);
/// Takes a str of one character, or "tab".
char character_of(nanobind::handle object, std::string_view keyword);
/// Takes a tuple (index, count) or a str "index/count".
InputPart part_of(nanobind::handle object, std::string_view keyword);
/// Takes the name of a metric, such as "cos".
Metric metric_of(const std::string& word);
/// Raises ValueError: `word` is none of the words that the option takes.
[[noreturn]] void raise_no_word(std::string_view keyword, const std::string& word,
                                const std::vector<std::string_view>& words);

/// A keyword argument that was given, before the option for it is found.
class Keyword {
 public:
  Keyword(std::string_view name, nanobind::handle object) : name_(name), object_(object) {}

  /// Sets the option with this keyword in `options` or in its member structures, and returns true;
  /// returns false if there is no such option. None leaves the option unchanged. Two options may
  /// have the same keyword if they have no word in common; the word decides then.
  template <class Options>
  bool set(Options& options) {
    bool is_known = false;
    bool is_set = false;
    std::vector<std::string_view> words;
    for_each_option(options, [&](const auto& option, auto& value) {
      if (is_set || option.keyword != name_) return;
      is_known = true;
      is_set = object_.is_none() || assign(option, value, words);
    });
    if (is_known && !is_set) raise_no_word(name_, text_of(object_, name_), words);
    return is_known;
  }

 private:
  /// Sets the option, and returns true. Returns false for a word that the option does not take, and
  /// adds all words that it takes to `words`.
  template <class Options, class Value>
  bool assign(const OptionOf<Options, Value>& option, Value& value,
              std::vector<std::string_view>& words) const {
    using Type = Given<Value>;
    if constexpr (std::is_same_v<Type, bool>) {
      value = flag_of(object_, name_);
    } else if constexpr (std::is_enum_v<Type>) {
      const std::string word = text_of(object_, name_);
      // Empty, or the word for it: what is meant where nobody asks.
      if (word.empty() || word == option.unset) return true;
      const auto named = option.value_of(word);
      for (const auto& [other, of_other] : option.words) words.push_back(other);
      if (!named) return false;
      value = *named;
    } else if constexpr (std::is_same_v<Type, char>) {
      value = character_of(object_, name_);
    } else if constexpr (std::is_same_v<Type, InputPart>) {
      value = part_of(object_, name_);
    } else if constexpr (std::is_integral_v<Type>) {
      value = static_cast<Type>(number(option, value));
    } else if constexpr (std::is_floating_point_v<Type>) {
      value = static_cast<Type>(real_of(object_, name_));
    } else if constexpr (std::is_same_v<Type, std::filesystem::path>) {
      value = path_of(object_, name_);
    } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
      value = texts_of(object_, name_);
    } else {
      value = text_of(object_, name_);
    }
    return true;
  }

  /// Returns a number within the bounds of an option. The option's default, `usual`, is accepted
  /// even if it is outside of them.
  template <class Options, class Value>
  std::uint64_t number(const OptionOf<Options, Value>& option, const Value& usual) const {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<Given<Value>>::max());
    const std::uint64_t found = number_of(object_, name_, 0, std::min(option.greatest, most));
    if constexpr (std::is_same_v<Value, Given<Value>>)
      if (found == static_cast<std::uint64_t>(usual)) return found;
    return number_of(object_, name_, option.least, std::min(option.greatest, most));
  }

  std::string_view name_;
  nanobind::handle object_;
};

/// Raises TypeError: no option has this keyword.
[[noreturn]] void raise_unknown(std::string_view keyword);

/// Sets options from keyword arguments. Each argument sets an option of the first of `structures`
/// that has an option with its keyword.
template <class... Structures>
void set_options(const nanobind::dict& given, Structures&... structures) {
  for (const auto& [key, object] : given) {
    const std::string name = text_of(key, "keyword");
    Keyword keyword(name, object);
    if (!(keyword.set(structures) || ...)) raise_unknown(name);
  }
}

/// Raises ValueError: the option is for `formats`, and none of them is among the formats that are
/// written.
[[noreturn]] void raise_no_use(std::string_view keyword, std::span<const std::string_view> formats,
                               const std::vector<std::string_view>& written);

/// Checks that each keyword argument is for one of the formats that are written. Raises ValueError
/// otherwise.
template <class Options>
void check_formats(const nanobind::dict& given, const Options& options,
                   const std::vector<std::string_view>& written) {
  for_each_option(options, [&](const auto& option, const auto&) {
    const nanobind::str keyword(option.keyword.data(), option.keyword.size());
    if (option.formats[0].empty() || !given.contains(keyword) || given[keyword].is_none()) return;
    if (std::ranges::find_first_of(option.formats, written) == option.formats.end())
      raise_no_use(option.keyword, option.formats, written);
  });
}

}  // namespace embd::python
