#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenizer/special_tokens.h"

namespace embd {

namespace bpe {

/// The regular expression that divides a text into words. Each one has code of its own, because a
/// general regular expression could take any time.
enum class WordPattern : std::uint8_t {
  /// The pattern of GPT-2 and RoBERTa. A space belongs to the word behind it:
  /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  gpt2,
  /// The pattern of Qwen2 and Qwen3, in which a number is one digit, and any character but a line
  /// break or a digit belongs to the letters behind it:
  /// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|
  /// \s*[\r\n]+|\s+(?!\S)|\s+
  qwen2,
  /// No pattern: a text is one word, as in SentencePiece. Its spaces become "▁", its characters are
  /// tokens at first, and characters that are no token become those of their bytes, <0x00> to
  /// <0xFF>.
  sentencepiece,
};

/// The settings of a tokenizer.json that determine how texts are divided and words merged.
struct Rules {
  WordPattern pattern = WordPattern::gpt2;
  /// True if texts are composed (NFC), after tokens that are not normalized were cut out.
  bool composes = false;
  /// True if a space is put before every text between added tokens that does not begin with one.
  bool add_prefix_space = false;
  /// True if a word that is a token stays whole, whatever the merges say.
  bool ignore_merges = false;
  /// True if bytes that are no token become the unknown token; else they disappear.
  bool keeps_unknown = false;

  bool is_sentencepiece() const noexcept { return pattern == WordPattern::sentencepiece; }
  bool operator==(const Rules&) const = default;
};

/// Returns the end of the word that begins at `begin`, which must be below the text's size and a
/// place where a word ended. `text` is valid UTF-8. Every byte belongs to a word; white space
/// before a word may belong to it or be words of its own. Takes time linear in the word.
std::size_t word_end(WordPattern pattern, std::string_view text, std::size_t begin) noexcept;

}  // namespace bpe

struct BpeOptions {
  bpe::Rules rules;
  PairTemplate pair_template = PairTemplate::roberta;
  bool has_types = true;  ///< False if the model has no token types.
};

}  // namespace embd
