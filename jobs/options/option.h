#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/options/member_count.h"
#include "jobs/options/words.h"

// Types that describe the options of a structure such as CvcOptions. The command line, the manual
// page, the conditions of a resumed run, the keyword arguments in Python and docs/options.md are
// all made from these descriptions.
namespace embd {

/// The results that depend on the value of an option.
enum class Decides : std::uint8_t {
  rows,    ///< the rows and their metadata; all parts of a job must have the same value
  run,     ///< only what one run writes, or whether it writes at all
  recipe,  ///< the rows; the recipe holds the value
  nothing  ///< no byte of an output
};

/// The heading under which the help of a verb lists an option.
enum class OptionGroup : std::uint8_t {
  general,
  input,
  model,
  output,
  cvc,
  parquet,
  svs,
  quantizers,
  index,
  reading,
  search,
  analysis,
  serving,
  access,
  limits,
  running
};

template <class T>
struct WithoutOptional {
  using Type = T;
};
template <class T>
struct WithoutOptional<std::optional<T>> {
  using Type = T;
};
/// The type of an option's value, without std::optional.
template <class Value>
using Given = typename WithoutOptional<Value>::Type;

/// The words that stand for the values of an option, usually an EnumNames.
template <class Value>
using OptionWords = std::span<const std::pair<std::string_view, Given<Value>>>;

/// The formats of vectors (Format::name) and the kinds of indexes that an option is for. The kinds
/// are "hnsw", "vamana", and "none" for a vector set that is searched row by row. Unused places of
/// the array are empty.
using OptionFormats = std::array<std::string_view, 8>;

/// The description of one option: a member of the structure `Options`.
///
/// A member that is a structure of options itself is described by `member` alone.
template <class Options, class Value>
struct OptionOf {
  Value Options::* member;
  /// The name of the option in the conditions of a run and in docs/options.md, in lower case with
  /// underscores. Empty: the library sets the member, and a user cannot.
  std::string_view name = {};
  /// The name on the command line, which has dashes in place of the underscores. Empty: the command
  /// line does not have the option.
  std::string_view option = name;
  /// The short name on the command line, such as "t", or empty.
  std::string_view letter = {};
  /// The keyword argument in Python. Empty: Python does not have the option.
  std::string_view keyword = name;
  /// The words that the option takes, if its values have names; otherwise empty.
  OptionWords<Value> words = {};
  /// The word that leaves the option unset, such as "auto", or empty.
  std::string_view unset = {};
  /// The bounds of a number. Python and C accept the default, too, if it is outside of them.
  std::uint64_t least = 0;
  std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  /// The name of the value in the help, such as "FILE". If it is empty, the help shows N or X for a
  /// number, and the words for an option with words.
  std::string_view value = {};
  OptionFormats formats = {};   ///< the formats that it is for; empty: all
  std::string_view needs = {};  ///< the option without which it does nothing, or empty
  OptionGroup group = OptionGroup::general;
  std::string_view help = {};  ///< its description, one line
  Decides decides = Decides::rows;

  using ValueType = Value;

  /// Returns the word for a value; an empty string if the value has none.
  constexpr std::string_view word_of(const Given<Value>& of) const noexcept {
    for (const auto& [word, named] : words)
      if (named == of) return word;
    return {};
  }
  /// Returns the value that a word stands for; nothing if it is not one of the words.
  constexpr std::optional<Given<Value>> value_of(std::string_view of) const noexcept {
    for (const auto& [word, named] : words)
      if (word == of) return named;
    return std::nullopt;
  }
};

/// A member that is not an option of any user interface. The caller's code or a job sets it. It
/// affects no byte of an output, or only together with options of the list.
template <class Options, class Value>
struct InternalOf {
  Value Options::* member;

  using ValueType = Value;
};

/// The list of the options of a structure: a std::tuple with an OptionOf or InternalOf for each
/// member, in the order of the help. It is null for a structure without a list.
template <class Options>
inline constexpr auto option_list = nullptr;

/// True for structures that have a list of options.
template <class Options>
concept HasOptionList =
    !std::is_same_v<std::remove_const_t<decltype(option_list<Options>)>, std::nullptr_t>;

/// True if the list of `Options` has an entry for each member. An assertion after each list checks
/// it.
template <HasOptionList Options>
inline constexpr bool is_whole_list =
    std::tuple_size_v<std::remove_const_t<decltype(option_list<Options>)>> ==
    member_count<Options>();

template <class Entry>
inline constexpr bool is_internal = false;
template <class Options, class Value>
inline constexpr bool is_internal<InternalOf<Options, Value>> = true;

/// Calls visit(option) with each OptionOf in the list of `Options`, except for members that are
/// structures of options themselves.
template <HasOptionList Options, class Visit>
constexpr void for_each_own_option(Visit&& visit) {
  const auto look_at = [&]<class Entry>(const Entry& entry) {
    if constexpr (!is_internal<Entry> && !HasOptionList<typename Entry::ValueType>) visit(entry);
  };
  std::apply([&](const auto&... entries) { (look_at(entries), ...); }, option_list<Options>);
}

/// Calls visit(option, value) with each OptionOf of `options` and of its member structures, in the
/// order of the lists.
template <class Options, class Visit>
constexpr void for_each_option(Options&& options, Visit&& visit) {
  const auto look_at = [&]<class Entry>(const Entry& entry) {
    if constexpr (HasOptionList<typename Entry::ValueType>)
      for_each_option(options.*entry.member, visit);
    else if constexpr (!is_internal<Entry>)
      visit(entry, options.*entry.member);
  };
  std::apply([&](const auto&... entries) { (look_at(entries), ...); },
             option_list<std::remove_cvref_t<Options>>);
}

/// Returns the description of a member from the list of its structure:
/// option_of<&CvcOptions::mmap>().
template <auto member>
consteval auto option_of() {
  return []<class Options, class Value>(Value Options::*) {
    OptionOf<Options, Value> found = {.member = nullptr};
    for_each_own_option<Options>([&]<class Entry>(const Entry& entry) {
      if constexpr (std::is_same_v<Entry, OptionOf<Options, Value>>)
        if (entry.member == member) found = entry;
    });
    return found;
  }(member);
}

}  // namespace embd
