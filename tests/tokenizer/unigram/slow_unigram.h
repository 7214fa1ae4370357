#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/byte_range.h"
#include "tests/tokenizer/unigram/slow_graphemes.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd::testing {

/// A code point and the bytes of the original text that it comes from; empty for a word mark.
struct SlowCharacter {
  char32_t code_point;
  ByteRange source;
};
using SlowText = std::vector<SlowCharacter>;

/// The code points of bytes, U+FFFD for each malformed part.
SlowText slow_text(std::string_view bytes);
std::string to_utf8(std::u32string_view text);
std::string to_utf8(const SlowText& text);

/// The character map a second time: whole strings, and no trust in the bytes.
class SlowCharacterMap {
 public:
  SlowCharacterMap(std::string_view bytes, const SlowGraphemes& graphemes);
  /// Returns the replacement of the shortest key at the front of `key`.
  std::optional<std::string> shortest(std::string_view key) const;
  SlowText normalize(const SlowText& text) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string strings_;
  const SlowGraphemes& graphemes_;
};

/// The Unigram tokenizer a second time, by the book: whole strings as code points, pieces in a map,
/// nothing shared with tokenizer/unigram but the types of its options. Slow; for comparison.
class SlowUnigram {
 public:
  SlowUnigram(const TokenizerJson& json, const unigram::WordOptions& options);

  struct Tokens {
    std::vector<std::int32_t> ids;
    std::vector<ByteRange> ranges;
  };
  /// Nothing where the tokenizer needs an unknown piece and has none.
  std::optional<Tokens> encode(std::string_view bytes) const;

 private:
  struct Piece {
    std::int32_t id;
    std::size_t size;
  };
  std::vector<SlowText> words(const SlowText& text, bool begins_text) const;
  std::optional<std::vector<Piece>> cut(std::string_view word) const;
  bool append_word(const SlowText& word, Tokens& tokens) const;
  std::optional<std::int32_t> find(std::string_view piece) const;

  SlowGraphemes graphemes_;
  std::optional<SlowCharacterMap> map_;
  unigram::WordOptions options_;
  unigram::PieceOptions piece_options_;
  std::vector<unigram::AddedToken> added_tokens_;
  std::map<std::string, std::int32_t, std::less<>> pieces_;
  std::vector<double> scores_;
};

}  // namespace embd::testing
