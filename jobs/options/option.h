#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/metric_names.h"
#include "embd/cluster.h"
#include "embd/dedupe.h"
#include "embd/element_type.h"
#include "embd/enum_names.h"
#include "embd/index_options.h"
#include "embd/model.h"
#include "embd/output_options.h"
#include "embd/texts.h"

namespace embd {

// The words for values of options whose types have no EnumNames in their own header. A test in
// tests/jobs/options checks that they equal the names that the library uses elsewhere.

inline constexpr EnumNames<bool, 2> on_off_names = {{{"on", true}, {"off", false}}};

inline constexpr EnumNames<Compute, 3> compute_names = {
    {{"f32", Compute::f32}, {"bf16", Compute::bf16}, {"int8", Compute::int8}}};

/// The types of the weight matrices in a weight file.
inline constexpr EnumNames<ElementType, 4> weight_type_names = {{{"f32", ElementType::f32},
                                                                 {"f16", ElementType::f16},
                                                                 {"bf16", ElementType::bf16},
                                                                 {"int8", ElementType::i8}}};

inline constexpr EnumNames<InputFormat, 5> input_format_names = {
    {{"txt", InputFormat::txt},
     {"jsonl", InputFormat::jsonl},
     {"csv", InputFormat::csv},
     {"tsv", InputFormat::tsv},
     {"parquet", InputFormat::parquet}}};

inline constexpr EnumNames<IdType, 3> id_type_names = {
    {{"auto", IdType::automatic}, {"number", IdType::number}, {"string", IdType::string}}};

inline constexpr EnumNames<OutputType, 4> output_type_names = {{{"f32", OutputType::f32},
                                                                {"f16", OutputType::f16},
                                                                {"int8", OutputType::int8},
                                                                {"binary", OutputType::binary}}};

inline constexpr EnumNames<IndexKind, 2> index_kind_names = {
    {{"hnsw", IndexKind::hnsw}, {"vamana", IndexKind::vamana}}};

inline constexpr EnumNames<Builder, 2> builder_names = {
    {{"parallel", Builder::parallel}, {"usearch", Builder::usearch}}};

inline constexpr EnumNames<Keep, 2> keep_names = {
    {{"first", Keep::first}, {"longest", Keep::longest}}};

inline constexpr EnumNames<ClusterMethod, 2> cluster_method_names = {
    {{"kmeans", ClusterMethod::kmeans}, {"density", ClusterMethod::density}}};

/// The types of the values in raw files, which have nothing but rows.
inline constexpr EnumNames<ElementType, 12> raw_type_names = {{{"f32", ElementType::f32},
                                                               {"f64", ElementType::f64},
                                                               {"f16", ElementType::f16},
                                                               {"bf16", ElementType::bf16},
                                                               {"i8", ElementType::i8},
                                                               {"u8", ElementType::u8},
                                                               {"i16", ElementType::i16},
                                                               {"u16", ElementType::u16},
                                                               {"i32", ElementType::i32},
                                                               {"u32", ElementType::u32},
                                                               {"i64", ElementType::i64},
                                                               {"u64", ElementType::u64}}};

/// The types of the values in an index, which are those of USearch.
inline constexpr EnumNames<ElementType, 11> index_scalar_names = {{{"f32", ElementType::f32},
                                                                   {"f64", ElementType::f64},
                                                                   {"f16", ElementType::f16},
                                                                   {"bf16", ElementType::bf16},
                                                                   {"i8", ElementType::i8},
                                                                   {"u8", ElementType::u8},
                                                                   {"b1", ElementType::b1},
                                                                   {"e5m2", ElementType::e5m2},
                                                                   {"e4m3", ElementType::e4m3},
                                                                   {"e3m2", ElementType::e3m2},
                                                                   {"e2m3", ElementType::e2m3}}};

/// All types of values: first those of raw files, then those that only indexes have.
inline constexpr EnumNames<ElementType, 17> element_type_names = [] {
  EnumNames<ElementType, 17> names;
  for (std::size_t i = 0; i < 12; ++i) names[i] = raw_type_names[i];
  for (std::size_t i = 12; i < 17; ++i) names[i] = index_scalar_names[i - 6];
  return names;
}();

// Types that describe the options of a structure such as CvcOptions. The command line, the manual
// page, the conditions of a resumed run, the keyword arguments in Python and docs/options.md are
// all made from these descriptions.

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
  constexpr OptionOf(Value Options::* the_member, std::string_view its_name = {},
                     OptionGroup its_group = OptionGroup::general, std::string_view its_help = {})
      : member(the_member),
        name(its_name),
        group(its_group),
        help(its_help),
        option(its_name),
        keyword(its_name) {}

  Value Options::* member;
  /// The name of the option in the conditions of a run and in docs/options.md, in lower case with
  /// underscores. Empty: the library sets the member, and a user cannot.
  std::string_view name;
  OptionGroup group;
  std::string_view help;  ///< its description, one line
  /// The name on the command line, which has dashes in place of the underscores. Empty: the command
  /// line does not have the option.
  std::string_view option;
  /// The short name on the command line, such as "t", or empty.
  std::string_view letter = {};
  /// The keyword argument in Python. Empty: Python does not have the option.
  std::string_view keyword;
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
  Decides decides = Decides::rows;

  using ValueType = Value;

  // Functions that return the description with one more fact, for the lists.
  constexpr OptionOf on_command_line(std::string_view name_there) const {
    return with(&OptionOf::option, name_there);
  }
  constexpr OptionOf with_letter(std::string_view one) const {
    return with(&OptionOf::letter, one);
  }
  constexpr OptionOf in_python(std::string_view name_there) const {
    return with(&OptionOf::keyword, name_there);
  }
  constexpr OptionOf of_words(OptionWords<Value> all) const { return with(&OptionOf::words, all); }
  constexpr OptionOf unset_by(std::string_view word) const { return with(&OptionOf::unset, word); }
  constexpr OptionOf at_least(std::uint64_t number) const { return with(&OptionOf::least, number); }
  constexpr OptionOf between(std::uint64_t low, std::uint64_t high) const {
    return at_least(low).with(&OptionOf::greatest, high);
  }
  constexpr OptionOf taking(std::string_view what) const { return with(&OptionOf::value, what); }
  constexpr OptionOf for_formats(OptionFormats some) const {
    return with(&OptionOf::formats, some);
  }
  constexpr OptionOf needing(std::string_view other) const { return with(&OptionOf::needs, other); }
  constexpr OptionOf deciding(Decides results) const { return with(&OptionOf::decides, results); }

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

 private:
  template <class Fact>
  constexpr OptionOf with(Fact OptionOf::* which, Fact fact) const {
    OptionOf option_with_it = *this;
    option_with_it.*which = fact;
    return option_with_it;
  }
};

/// A member that is not an option of any user interface. The caller's code or a job sets it. It
/// affects no byte of an output, or only together with options of the list.
template <class Options, class Value>
struct InternalOf {
  Value Options::* member;

  using ValueType = Value;
};

/// Makes a list of entries, which is a function that calls visit(entry) with each of them. It takes
/// the compiler less time than a std::tuple, which many sources would unfold again and again.
template <class... Entries>
constexpr auto list_options(Entries... entries) {
  return [=](const auto& visit) { (visit(entries), ...); };
}

/// The list of the options of a structure, of list_options(): an OptionOf or InternalOf for each
/// member, in the order of the help. It is null for a structure without a list.
template <class Options>
inline constexpr auto option_list = nullptr;

/// True for structures that have a list of options.
template <class Options>
concept HasOptionList =
    !std::is_same_v<std::remove_const_t<decltype(option_list<Options>)>, std::nullptr_t>;

/// Returns the number of members of an aggregate, at most 16. It is found as the largest number of
/// empty initializers that the aggregate accepts.
template <class T>
consteval std::size_t member_count() {
  // clang-format off
  static_assert(!requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; });
  if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 16;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 15;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 14;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 13;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 12;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 11;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 10;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; }) return 9;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; }) return 8;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}, {}}; }) return 7;
  else if constexpr (requires { T{{}, {}, {}, {}, {}, {}}; }) return 6;
  else if constexpr (requires { T{{}, {}, {}, {}, {}}; }) return 5;
  else if constexpr (requires { T{{}, {}, {}, {}}; }) return 4;
  else if constexpr (requires { T{{}, {}, {}}; }) return 3;
  else if constexpr (requires { T{{}, {}}; }) return 2;
  else return 1;
  // clang-format on
}

/// True if the list of `Options` has an entry for each member. An assertion after each list checks
/// it.
template <HasOptionList Options>
inline constexpr bool is_whole_list = [] {
  std::size_t count = 0;
  option_list<Options>([&](const auto& /*entry*/) { ++count; });
  return count == member_count<Options>();
}();

template <class Entry>
inline constexpr bool is_internal = false;
template <class Options, class Value>
inline constexpr bool is_internal<InternalOf<Options, Value>> = true;

/// Calls visit(option) with each OptionOf in the list of `Options`, except for members that are
/// structures of options themselves.
template <HasOptionList Options, class Visit>
constexpr void for_each_own_option(Visit&& visit) {
  option_list<Options>([&]<class Entry>(const Entry& entry) {
    if constexpr (!is_internal<Entry> && !HasOptionList<typename Entry::ValueType>) visit(entry);
  });
}

/// Calls visit(option, value) with each OptionOf of `options` and of its member structures, in the
/// order of the lists.
template <class Options, class Visit>
constexpr void for_each_option(Options&& options, Visit&& visit) {
  option_list<std::remove_cvref_t<Options>>([&]<class Entry>(const Entry& entry) {
    if constexpr (HasOptionList<typename Entry::ValueType>)
      for_each_option(options.*entry.member, visit);
    else if constexpr (!is_internal<Entry>)
      visit(entry, options.*entry.member);
  });
}

/// Returns the description of a member from the list of its structure:
/// option_of<&CvcOptions::mmap>().
template <auto member>
consteval auto option_of() {
  return []<class Options, class Value>(Value Options::*) {
    OptionOf<Options, Value> found(nullptr);
    for_each_own_option<Options>([&]<class Entry>(const Entry& entry) {
      if constexpr (std::is_same_v<Entry, OptionOf<Options, Value>>)
        if (entry.member == member) found = entry;
    });
    return found;
  }(member);
}

/// Returns the character that a value is, or a tab for "tab"; nothing for other texts.
constexpr std::optional<char> character_in(std::string_view text) noexcept {
  if (text == "tab") return '\t';
  return text.size() == 1 ? std::optional(text.front()) : std::nullopt;
}

// Descriptions of options that several structures have. They have the same name and the same effect
// in all of them.

template <class Options, class Value>
constexpr OptionOf<Options, Value> threads_option(
    Value Options::* member,
    std::string_view help =
        "Number of threads, including those that tokenize (as many as affinity and cgroup allow)") {
  return OptionOf{member, "threads", OptionGroup::running, help}
      .between(0, 1 << 16)
      .with_letter("t")
      .deciding(Decides::nothing);
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> vocab_option(Value Options::* member) {
  return OptionOf{member, "vocab", OptionGroup::model,
                  "The vocab.txt or tokenizer.json of a model whose weight file has no vocabulary"}
      .taking("FILE")
      .deciding(Decides::recipe);
}

/// Returns the option texts of jobs that analyse the rows of a vector set.
template <class Options, class Value>
constexpr OptionOf<Options, Value> texts_option(Value Options::* member) {
  return OptionOf{member, "texts", OptionGroup::input,
                  "The texts that the rows of a vector set were made of"}
      .taking("FILE");
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> batch_tokens_option(Value Options::* member) {
  return OptionOf{
      member, "batch_tokens", OptionGroup::running,
      "Number of tokens that a thread computes at a time; changes no byte of the result"}
      .deciding(Decides::nothing);
}

/// Returns the option dedup. `help` says which equal inputs are computed only once.
template <class Options, class Value>
constexpr OptionOf<Options, Value> dedup_option(Value Options::* member, std::string_view help) {
  return OptionOf{member, "dedup", OptionGroup::running, help}
      .of_words(on_off_names)
      .deciding(Decides::nothing);
}

/// Returns the option refuse_truncated. The command line has --on-truncate instead, which can also
/// ask for a warning.
template <class Options, class Value>
constexpr OptionOf<Options, Value> refuse_truncated_option(Value Options::* member,
                                                           std::string_view help) {
  return OptionOf{member, "refuse_truncated", OptionGroup::input, help}
      .on_command_line("")
      .deciding(Decides::run);
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> row_report_option(Value Options::* member,
                                                     std::string_view help) {
  return OptionOf{member, "row_report", OptionGroup::output, help}.taking("FILE").deciding(
      Decides::run);
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> resume_option(Value Options::* member) {
  return OptionOf{member, "resume", OptionGroup::running,
                  "Keep a journal beside the first output, and continue from it if it exists"}
      .deciding(Decides::nothing);
}

template <class Options, class Value>
constexpr OptionOf<Options, Value> restart_option(Value Options::* member) {
  return OptionOf{member, "restart", OptionGroup::running,
                  "Begin again if --resume refuses to continue"}
      .on_command_line("force")
      .deciding(Decides::nothing);
}

/// The option force of searches, which compare the recipes of queries and rows.
template <class Options, class Value>
constexpr OptionOf<Options, Value> force_option(Value Options::* member) {
  return OptionOf{member, "force", OptionGroup::running,
                  "Search even if queries and rows have different recipes"}
      .deciding(Decides::nothing);
}

}  // namespace embd
