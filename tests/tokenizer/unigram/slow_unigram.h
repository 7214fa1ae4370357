#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "embd/tokens.h"
#include "tests/tokenizer/unigram/slow_graphemes.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd::testing {

/// A code point, and the bytes of the original text from which it comes. A word mark has no bytes.
struct SlowCharacter {
  char32_t code_point;
  ByteRange source;
};
using SlowText = std::vector<SlowCharacter>;

/// Returns the code points of bytes; U+FFFD for each malformed part.
SlowText slow_text(std::string_view bytes);
std::string to_utf8(std::u32string_view text);
std::string to_utf8(const SlowText& text);

/// A second, independent implementation of the character map. It works on whole strings and checks
/// all bytes.
class SlowCharacterMap {
 public:
  SlowCharacterMap(std::string_view bytes, const SlowGraphemes& graphemes);
  /// Returns the replacement of the shortest key at the beginning of `key`.
  std::optional<std::string> shortest(std::string_view key) const;
  SlowText normalize(const SlowText& text) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string strings_;
  const SlowGraphemes& graphemes_;
};

/// A second, independent implementation of the Unigram tokenizer, with which the fast one is
/// compared. It works on whole strings of code points and keeps pieces in a map. It shares only the
/// types of the options with tokenizer/unigram. Slow.
class SlowUnigram {
 public:
  SlowUnigram(const TokenizerJson& json, const unigram::WordOptions& options);

  struct Tokens {
    std::vector<std::int32_t> ids;
    std::vector<ByteRange> ranges;
  };
  /// Returns nothing if the text needs the unknown piece and there is none.
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
  std::vector<AddedToken> added_tokens_;
  std::vector<std::string_view> added_texts_;
  std::map<std::string, std::int32_t, std::less<>> pieces_;
  std::vector<double> scores_;
};

}  // namespace embd::testing
