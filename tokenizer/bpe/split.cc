#include "tokenizer/bpe/options.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/utf8.h"
#include "tokenizer/unicode_class.h"

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

/// Returns the end of the run of characters of one class from `at` on.
std::size_t run_end(std::string_view text, std::size_t at, UnicodeClass of) noexcept {
  while (at < text.size()) {
    const Character next = character_at(text, at);
    if (next.of != of) break;
    at += next.size;
  }
  return at;
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
  return run_end(text, end, first.of);
}

bool is_line_break(char byte) noexcept {
  return byte == '\r' || byte == '\n';
}

/// Returns the size of a short form in upper or lower case. ſ (U+017F) is an s in this respect.
std::size_t short_form_size_of_any_case(std::string_view text) noexcept {
  if (!text.starts_with('\'')) return 0;
  if (text.starts_with("'\xc5\xbf")) return 3;
  return short_form_size(in_small_letters(text.substr(0, 3)));
}

/// Returns the end of the white space that is a word. With line breaks, it ends behind the last
/// one.
std::size_t white_space_end_with_lines(std::string_view text, std::size_t begin) noexcept {
  const std::size_t end = run_end(text, begin, UnicodeClass::white_space);
  const std::size_t last = text.substr(begin, end - begin).find_last_of("\r\n");
  return last == std::string_view::npos ? white_space_end(text, begin) : begin + last + 1;
}

std::size_t qwen2_word_end(std::string_view text, std::size_t begin) noexcept {
  if (const std::size_t size = short_form_size_of_any_case(text.substr(begin)); size > 0)
    return begin + size;
  const Character first = character_at(text, begin);
  const std::size_t second = begin + first.size;
  if (first.of == UnicodeClass::number) return second;
  const auto of_second =
      second < text.size() ? std::optional(character_at(text, second).of) : std::nullopt;
  if (first.of == UnicodeClass::letter ||
      (of_second == UnicodeClass::letter && !is_line_break(text[begin])))
    return run_end(text, second, UnicodeClass::letter);
  const bool is_space = text[begin] == ' ' && of_second == UnicodeClass::other;
  if (first.of == UnicodeClass::white_space && !is_space)
    return white_space_end_with_lines(text, begin);
  std::size_t end = run_end(text, second, UnicodeClass::other);
  while (end < text.size() && is_line_break(text[end])) ++end;
  return end;
}

}  // namespace

std::size_t word_end(WordPattern pattern, std::string_view text, std::size_t begin) noexcept {
  switch (pattern) {
    case WordPattern::sentencepiece:
      return text.size();
    case WordPattern::qwen2:
      return qwen2_word_end(text, begin);
    case WordPattern::gpt2:
      break;
  }
  return gpt2_word_end(text, begin);
}

}  // namespace embd::bpe
