#include "tokenizer/bpe/split.h"

#include <array>
#include <cstdint>

#include "tokenizer/unicode_class.h"
#include "tokenizer/utf8_decode.h"

namespace embd::bpe {
namespace {

constexpr auto ascii_classes = [] {
  std::array<UnicodeClass, 0x80> classes{};
  for (char32_t c = 0; c < classes.size(); ++c) classes[c] = unicode_class(c);
  return classes;
}();

/// A code point of the text.
struct Character {
  UnicodeClass of;
  std::size_t size;  ///< bytes
};

Character character_at(std::string_view text, std::size_t at) noexcept {
  const auto byte = static_cast<std::uint8_t>(text[at]);
  if (byte < 0x80) [[likely]]
    return {ascii_classes[byte], 1};
  const DecodedCodePoint decoded = decode_utf8(text.data() + at, text.data() + text.size());
  return {unicode_class(decoded.code_point), decoded.size};
}

/// Returns the size of a short form such as "'re" at the beginning of a text; 0 if there is none.
std::size_t short_form_size(std::string_view text) noexcept {
  if (text.size() < 2 || text.front() != '\'') return 0;
  for (const char letter : {'s', 't', 'm', 'd'})
    if (text[1] == letter) return 2;
  const std::string_view two = text.substr(1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

/// Returns the end of the white space that is a word. Before another word, its last character is
/// left to it.
std::size_t white_space_end(std::string_view text, std::size_t begin) noexcept {
  std::size_t last = begin;
  std::size_t end = begin;
  while (end < text.size()) {
    const Character next = character_at(text, end);
    if (next.of != UnicodeClass::white_space) return last > begin ? last : end;
    last = end;
    end += next.size;
  }
  return end;
}

std::size_t gpt2_word_end(std::string_view text, std::size_t begin) noexcept {
  if (const std::size_t size = short_form_size(text.substr(begin)); size > 0) return begin + size;
  Character first = character_at(text, begin);
  std::size_t end = begin + first.size;
  // A space belongs to what follows it.
  if (text[begin] == ' ' && end < text.size()) {
    first = character_at(text, end);
    if (first.of != UnicodeClass::white_space) end += first.size;
  }
  if (first.of == UnicodeClass::white_space) return white_space_end(text, begin);
  while (end < text.size()) {
    const Character next = character_at(text, end);
    if (next.of != first.of) break;
    end += next.size;
  }
  return end;
}

}  // namespace

std::size_t word_end(WordPattern pattern, std::string_view text, std::size_t begin) noexcept {
  switch (pattern) {
    case WordPattern::gpt2:
      break;
  }
  return gpt2_word_end(text, begin);
}

}  // namespace embd::bpe
