#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/try.h"
#include "base/utf8.h"
#include "embd/enum_names.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_sections.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// An entry of the metadata. Refers to the file.
struct MetadataEntry {
  std::string_view key;
  std::string_view value;
  std::uint64_t value_at = 0;  ///< The place of the value in the file.

  bool operator==(const MetadataEntry&) const = default;
};

/// Reads the entries of the metadata section, in the order of the file. Checks that keys are
/// distinct and that texts are UTF-8.
Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section);

}  // namespace embd

// How the values of an EMBD file's metadata are spelled: whole numbers, decimal numbers, strings,
// and a word for each value of an enumeration.
namespace embd::spec_values {

inline constexpr EnumNames<TokenizerKind, 3> tokenizer_names = {
    {{"wordpiece", TokenizerKind::wordpiece},
     {"unigram", TokenizerKind::unigram},
     {"bpe", TokenizerKind::bpe}}};
inline constexpr EnumNames<bpe::WordPattern, 3> pattern_names = {
    {{"gpt2", bpe::WordPattern::gpt2},
     {"qwen2", bpe::WordPattern::qwen2},
     {"sentencepiece", bpe::WordPattern::sentencepiece}}};
inline constexpr EnumNames<unigram::Layout, 2> layout_names = {
    {{"words", unigram::Layout::words}, {"spaces", unigram::Layout::spaces}}};
inline constexpr EnumNames<unigram::PrependScheme, 3> prepend_names = {
    {{"always", unigram::PrependScheme::always},
     {"first", unigram::PrependScheme::first},
     {"never", unigram::PrependScheme::never}}};
inline constexpr EnumNames<unigram::CharacterMapRule, 1> normalizer_names = {
    {{"clusters_of_unicode_17", unigram::CharacterMapRule::clusters_of_unicode_17}}};
inline constexpr EnumNames<HeadActivation, 3> head_activation_names = {
    {{"tanh", HeadActivation::tanh},
     {"relu", HeadActivation::relu},
     {"gelu", HeadActivation::gelu}}};
inline constexpr EnumNames<HeadKind, 2> head_names = {
    {{"pooling", HeadKind::pooling}, {"classifier", HeadKind::classifier}}};

template <class... Arguments>
std::unexpected<Error> fail_at(ErrorCode code, const MetadataEntry& entry,
                               fmt::format_string<Arguments...> found, Arguments&&... arguments) {
  return fail_at(entry.value_at, code, "{}: {}", entry.key,
                 fmt::vformat(found, fmt::make_format_args(arguments...)));
}

/// Reads a decimal integer without sign and blanks.
inline Result<void> read_value(const MetadataEntry& entry, std::uint32_t& value) {
  if (const auto number = whole_number<std::uint32_t>(entry.value)) {
    value = *number;
    return {};
  }
  return fail_at(ErrorCode::metadata_number, entry, "'{}' is not a whole number below 2^32",
                 entry.value);
}

/// Reads a decimal number such as 1e-12, without sign and blanks, and not "inf".
inline Result<void> read_value(const MetadataEntry& entry, double& value) {
  const std::string_view text = entry.value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && is_ascii_digit(text.front()))
    return {};
  return fail_at(ErrorCode::metadata_number, entry, "'{}' is not a decimal number", text);
}

inline Result<void> read_value(const MetadataEntry& entry, std::string& value) {
  value = entry.value;
  return {};
}

template <class Enum, std::size_t count>
Result<void> read_word(const MetadataEntry& entry, const EnumNames<Enum, count>& names,
                       Enum& value) {
  const auto named = value_named(entry.value, names);
  if (named) {
    value = *named;
    return {};
  }
  std::string expected;
  for (const auto& [name, of] : names)
    expected += fmt::format("{}{}", expected.empty() ? "" : ", ", name);
  return fail_at(ErrorCode::metadata_value, entry, "'{}', expected one of {}", entry.value,
                 expected);
}

/// Returns the words for the values of a member of the spec.
using embd::names_of;  // of the architecture
constexpr const auto& names_of(TokenizerKind) {
  return tokenizer_names;
}
constexpr const auto& names_of(unigram::Layout) {
  return layout_names;
}
constexpr const auto& names_of(unigram::PrependScheme) {
  return prepend_names;
}
constexpr const auto& names_of(unigram::CharacterMapRule) {
  return normalizer_names;
}
constexpr const auto& names_of(bpe::WordPattern) {
  return pattern_names;
}
constexpr const auto& names_of(PairTemplate) {
  return pair_template_names;
}
constexpr const auto& names_of(HeadActivation) {
  return head_activation_names;
}
constexpr const auto& names_of(HeadKind) {
  return head_names;
}
constexpr const auto& names_of(ScoreActivation) {
  return score_activation_names;
}
constexpr const auto& names_of(Pooling) {
  return pooling_names;
}
constexpr const auto& names_of(TruncationSide) {
  return truncation_side_names;
}

template <class Value>
concept Named = requires(Value value) { names_of(value); } &&
                (std::is_enum_v<Value> || std::same_as<Value, bool>);

template <Named Value>
Result<void> read_value(const MetadataEntry& entry, Value& value) {
  return read_word(entry, names_of(value), value);
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (Named<Value>) {
    return std::string(name_of(value, names_of(value)));
  } else {
    return fmt::format("{}", value);
  }
}

/// Reads the added tokens, a JSON array of objects such as {"id": 3, "normalized": true}.
Result<void> read_added_tokens(const MetadataEntry& entry, ModelSpec& spec);
std::string text_of(const std::vector<AddedToken>& tokens);
/// Reads the steps behind pooling, a JSON array of objects such as {"type": "LayerNorm"}.
Result<void> read_modules(const MetadataEntry& entry, ModelSpec& spec);
std::string text_of(const std::vector<VectorModule>& modules);

}  // namespace embd::spec_values
