#pragma once

#include <cstdint>
#include <string_view>

namespace embd::unigram {

/// The word mark "▁", which stands for a space. A piece of SentencePiece that begins a word begins
/// with it.
inline constexpr std::string_view word_mark = "\xe2\x96\x81";
inline constexpr char32_t word_mark_code_point = 0x2581;

/// The way in which normalized text is divided into words.
enum class Layout : std::uint8_t {
  /// WhitespaceSplit, then Metaspace: white space separates words and is dropped. XLM-R's own file
  /// says so, and transformers 5 does so for every XLMRobertaTokenizer.
  words,
  /// Metaspace alone: each space becomes a word mark; other white space is kept. Files written by
  /// the converter of transformers 4 say so.
  spaces,
};

/// The words that get a word mark if they do not begin with one.
enum class PrependScheme : std::uint8_t {
  always,
  /// The word at the very beginning of the text. For Layout::spaces only.
  first,
  never,
};

/// The way in which a character map is applied to a text.
enum class CharacterMapRule : std::uint8_t {
  /// The rule of `tokenizers` 0.23. A grapheme cluster (Unicode 17) of less than 6 bytes is
  /// replaced, as a whole, by the replacement of the shortest key at its beginning. In any other
  /// cluster, and if there is no such key, each code point is looked up alone, and stays unchanged
  /// if there is no key for it. SentencePiece has another rule: it takes the longest key. Later
  /// versions of `tokenizers` may have another rule, too.
  clusters_of_unicode_17,
};

/// The settings of a tokenizer.json that determine how text is divided into words.
struct WordOptions {
  Layout layout = Layout::words;
  PrependScheme prepend_scheme = PrependScheme::always;
  /// True if words are divided before every word mark.
  bool split = true;
  /// For Layout::spaces: true if white space at the end of the text is removed (Strip with
  /// strip_right).
  bool strip_right = true;
  /// For Layout::spaces: true if several spaces become one (Replace of " {2,}" by "▁" or " ").
  bool merge_spaces = true;

  bool operator==(const WordOptions&) const = default;
};

}  // namespace embd::unigram
