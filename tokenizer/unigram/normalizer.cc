#include "tokenizer/unigram/normalizer.h"

#include <array>

#include "tokenizer/unigram/grapheme_cluster.h"
#include "tokenizer/unigram/options.h"
#include "tokenizer/white_space.h"

namespace embd::unigram {
namespace {

/// Returns true for a class whose code points never share a cluster with each other.
bool keeps_apart(GraphemeClass c) noexcept {
  using enum GraphemeClass;
  return c == other || c == consonant || c == pictographic || c == hangul_lv || c == hangul_lvt;
}

/// The bytes of a code point below U+10000 in UTF-8.
class Utf8 {
 public:
  explicit Utf8(char32_t c) noexcept {
    if (c < 0x80) {
      append(c);
    } else if (c < 0x800) {
      append(0xc0 | c >> 6);
      append(0x80 | (c & 0x3f));
    } else {
      append(0xe0 | c >> 12);
      append(0x80 | (c >> 6 & 0x3f));
      append(0x80 | (c & 0x3f));
    }
  }
  std::string_view text() const noexcept { return {bytes_.data(), size_}; }

 private:
  void append(char32_t byte) noexcept { bytes_[size_++] = static_cast<char>(byte); }

  std::array<char, 3> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace

Normalizer::Normalizer(const CharacterMap& map) : map_(map) {
  for (char32_t c = 0; c < num_known; ++c) {
    // U+FFFD may stand for a malformed part. Surrogates never occur.
    if (c == 0xfffd || (c >= 0xd800 && c < 0xe000)) continue;
    if (c == word_mark_code_point || is_white_space(c)) continue;
    const Utf8 utf8(c);
    kept_[c] = map.replacement(utf8.text()).value_or(utf8.text()) == utf8.text();
    plain_[c] = kept_[c] && keeps_apart(grapheme_class(c));
  }
}

}  // namespace embd::unigram
