#pragma once

#include <cstdint>
#include <string_view>

namespace embd::unigram {

/// "▁", which stands for a space: SentencePiece's pieces begin with it where a word begins.
inline constexpr std::string_view word_mark = "\xe2\x96\x81";
inline constexpr char32_t word_mark_code_point = 0x2581;

/// How normalized text falls into words.
enum class Layout : std::uint8_t {
  /// WhitespaceSplit, then Metaspace: white space separates words and is gone. XLM-R's own file
  /// has it so, and transformers 5 makes every XLMRobertaTokenizer so.
  words,
  /// Metaspace alone: each space is a word mark, other white space is kept. The converter of
  /// transformers 4 wrote files so.
  spaces,
};

/// Which words get a word mark that do not begin with one.
enum class PrependScheme : std::uint8_t {
  always,
  first,  ///< the word at the very beginning of the text; with layout spaces only
  never,
};

/// How a character map is applied to a text.
enum class CharacterMapRule : std::uint8_t {
  /// The rule of `tokenizers` 0.23. A grapheme cluster (Unicode 17) of less than 6 bytes becomes,
  /// as
  /// a whole, what the shortest key at its front becomes. In any other cluster, and where there is
  /// no key, each code point is looked up by itself, and stays if there is no key either. It is not
  /// SentencePiece's rule, which takes the longest key, and may change in later versions.
  clusters_of_unicode_17,
};

/// The parts of a tokenizer.json that decide how text falls into words.
struct WordOptions {
  Layout layout = Layout::words;
  PrependScheme prepend_scheme = PrependScheme::always;
  /// Whether words are cut before every word mark.
  bool split = true;
  /// Layout spaces: whether white space at the end of the text is stripped (Strip with
  /// strip_right).
  bool strip_right = true;
  /// Layout spaces: whether several spaces are one (Replace of " {2,}" by "▁" or " ").
  bool merge_spaces = true;

  bool operator==(const WordOptions&) const = default;
};

}  // namespace embd::unigram
