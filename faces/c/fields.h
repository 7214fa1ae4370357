#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/path_text.h"
#include "base/try.h"
#include "embd/error.h"
#include "jobs/options/option.h"

// Converts structures of options of embd.h to those of the library. A list of fields says which
// member sets which option; the lists in jobs/options say which values are allowed.
namespace embd::c {

/// Says that the member `from` of a structure of embd.h sets the option `to`.
template <auto from, auto to>
struct Field {};

template <class... Each>
struct Fields {};

template <class Options, class Value>
std::unexpected<Error> unfit(const OptionOf<Options, Value>& option, std::string_view what) {
  return fail(ErrorCode::invalid_argument, std::string(option.name) + " " + std::string(what));
}

/// Sets an option from a number that stands for a value of an enum of embd.h, whose values have the
/// same numbers in the library. If the model has a default for the option, -1 leaves it unset.
template <class Options, class Value>
Result<void> set_word(const OptionOf<Options, Value>& option, int number, Value& value) {
  if constexpr (!std::is_same_v<Value, Given<Value>>)
    if (number == -1) return {};
  const auto named = static_cast<Given<Value>>(number);
  const bool is_known = static_cast<int>(named) == number &&
                        (named == Given<Value>() || !option.word_of(named).empty());
  if (!is_known) return unfit(option, "is not a value of its enumeration");
  value = named;
  return {};
}

/// Sets an option to a number. 0 leaves the option as it is.
template <class Options, class Value, class Number>
Result<void> set_number(const OptionOf<Options, Value>& option, Number number, Value& value) {
  if (number == 0) return {};
  const auto most = static_cast<std::uint64_t>(std::numeric_limits<Given<Value>>::max());
  const bool is_negative = std::is_signed_v<Number> && number < 0;
  const auto wide = static_cast<std::uint64_t>(number);
  if (is_negative || wide < option.least || wide > std::min(option.greatest, most))
    return unfit(option,
                 fmt::format("is {}, which is outside the range that the header allows", number));
  value = static_cast<Given<Value>>(number);
  return {};
}

template <auto from, auto to, class C, class Options>
Result<void> set(Field<from, to> /*field*/, const C& c, Options& options) {
  constexpr auto option = option_of<to>();
  auto& value = options.*to;
  using Value = std::remove_reference_t<decltype(value)>;
  const auto given = c.*from;
  if constexpr (std::is_same_v<decltype(given), const char* const>) {
    if constexpr (std::is_same_v<Value, std::filesystem::path>) {
      if (given != nullptr) value = path_of_text(given);
    } else {
      if (given != nullptr) value = given;
    }
  } else if constexpr (std::is_same_v<Value, std::optional<bool>>) {
    if (given >= 0) value = given != 0;
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = given != 0;
  } else if constexpr (std::is_same_v<Value, char>) {
    if (given != 0) value = given;
  } else if constexpr (std::is_enum_v<Given<Value>>) {
    EMBD_TRY(set_word(option, given, value));
  } else {
    EMBD_TRY(set_number(option, given, value));
  }
  return {};
}

/// Sets the options of all fields. Fails with invalid_argument, naming the option, for the first
/// value that is not allowed.
template <class... Each, class C, class Options>
Result<void> set_all(Fields<Each...> /*fields*/, const C& c, Options& options) {
  Result<void> result;
  const auto one = [&](auto field) {
    if (result) result = set(field, c, options);
  };
  (one(Each()), ...);
  return result;
}

template <auto from, auto to, class Options, class Value>
constexpr bool sets(Field<from, to> /*field*/, const OptionOf<Options, Value>& option) {
  if constexpr (std::is_same_v<std::remove_const_t<decltype(to)>, Value Options::*>)
    return to == option.member;
  else
    return false;
}

/// Returns true if every option in the list of `Options` that users can set is either set by one of
/// the fields or named in `others`, which are the options that C does not offer or offers in
/// another way.
template <class Options, class... Each>
consteval bool are_all(Fields<Each...> /*fields*/, std::initializer_list<std::string_view> others) {
  bool all = true;
  std::size_t num_others = 0;
  for_each_own_option<Options>([&](const auto& option) {
    if (option.option.empty() && option.keyword.empty()) return;
    const bool is_other = std::ranges::find(others, option.name) != others.end();
    num_others += is_other ? 1 : 0;
    if ((sets(Each(), option) || ...) == is_other) all = false;
  });
  return all && num_others == others.size();
}

}  // namespace embd::c
