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

// The one description of the options of a structure such as CvcOptions. Command line, manual page,
// conditions of a resumed run, Python and docs/options.md are made from it.
namespace embd {

/// The results that the value of an option decides.
enum class Decides : std::uint8_t {
  rows,    ///< rows and what goes with them: all parts of a job have one value
  run,     ///< what one run writes, or whether it writes
  recipe,  ///< rows; the recipe says with which value they were made
  nothing  ///< no byte of an output
};

/// The heading of an option in the help of a verb.
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
/// The type of an option's value where one is given.
template <class Value>
using Given = typename WithoutOptional<Value>::Type;

/// The words for the values of an option, most often an EnumNames.
template <class Value>
using OptionWords = std::span<const std::pair<std::string_view, Given<Value>>>;

/// Names of formats of vectors (Format::name) and of kinds of indexes: "hnsw", "vamana", and "none"
/// for a set of vectors that is searched row by row. The rest of the array is empty.
using OptionFormats = std::array<std::string_view, 8>;

/// One member of the structure `Options`, as those who ask for options see it.
///
/// A member that is a structure of options itself stands in the list with its pointer alone.
template <class Options, class Value>
struct OptionOf {
  Value Options::* member;
  /// Its name, in lower case with underscores: among the conditions of a run, and in
  /// docs/options.md. Empty: the library sets the member, and nobody can ask for it.
  std::string_view name = {};
  /// The name on the command line, where dashes stand for the underscores; empty: it has none.
  std::string_view option = name;
  /// The letter before it on the command line, such as "t"; or empty.
  std::string_view letter = {};
  /// The keyword in Python; empty: it has none.
  std::string_view keyword = name;
  OptionWords<Value> words = {};
  /// The word on the command line for an option that is not set.
  std::string_view unset = {};
  /// The bounds of a number that is given. Python and C may give the default, too.
  std::uint64_t least = 0;
  std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  /// The name of the value in the help, such as "FILE"; empty: N or X for a number, and the words.
  std::string_view value = {};
  OptionFormats formats = {};   ///< that have a use for it; none: all
  std::string_view needs = {};  ///< an option without which it does nothing; or empty
  OptionGroup group = OptionGroup::general;
  std::string_view help = {};  ///< one line
  Decides decides = Decides::rows;

  using ValueType = Value;

  /// Returns the word for a value; empty where it has none.
  constexpr std::string_view word_of(const Given<Value>& of) const noexcept {
    for (const auto& [word, named] : words)
      if (named == of) return word;
    return {};
  }
  /// Returns the value that a word is for; nothing where it is for none.
  constexpr std::optional<Given<Value>> value_of(std::string_view of) const noexcept {
    for (const auto& [word, named] : words)
      if (word == of) return named;
    return std::nullopt;
  }
};

/// A member that no face asks for: the caller's code or a job sets it, and it decides no byte, or
/// only together with options that are listed.
template <class Options, class Value>
struct InternalOf {
  Value Options::* member;

  using ValueType = Value;
};

/// The list of a structure: a std::tuple of OptionOf and InternalOf, one a member, in the order of
/// the help.
template <class Options>
inline constexpr auto option_list = nullptr;

template <class Options>
concept HasOptionList =
    !std::is_same_v<std::remove_const_t<decltype(option_list<Options>)>, std::nullptr_t>;

/// True if the list of `Options` has every member of it. Each list is followed by an assertion.
template <HasOptionList Options>
inline constexpr bool is_whole_list =
    std::tuple_size_v<std::remove_const_t<decltype(option_list<Options>)>> ==
    member_count<Options>();

template <class Entry>
inline constexpr bool is_internal = false;
template <class Options, class Value>
inline constexpr bool is_internal<InternalOf<Options, Value>> = true;

/// Calls visit(option) with each OptionOf in the list of `Options`; not with the members that are
/// structures of options themselves.
template <HasOptionList Options, class Visit>
constexpr void for_each_own_option(Visit&& visit) {
  const auto look_at = [&]<class Entry>(const Entry& entry) {
    if constexpr (!is_internal<Entry> && !HasOptionList<typename Entry::ValueType>) visit(entry);
  };
  std::apply([&](const auto&... entries) { (look_at(entries), ...); }, option_list<Options>);
}

/// Calls visit(option, value) with each OptionOf of `options` and of the structures in it, in the
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

/// Returns the entry of a member in its list: option_of<&CvcOptions::mmap>().
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
