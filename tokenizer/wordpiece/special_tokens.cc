#include "tokenizer/wordpiece/special_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "tokenizer/utf8_decode.h"

namespace embd::wordpiece {

Result<void> check_added_tokens(const Vocabulary& vocabulary, std::span<const AddedToken> added) {
  for (const AddedToken& token : added) {
    const std::string_view text = vocabulary.token(token.id);
    const bool is_plain = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
    if (!text.empty() && (is_plain || !token.normalized)) continue;
    return fail(ErrorCode::special_token_id,
                fmt::format("the added token {} is \"{}\", expected {}", token.id, text,
                            text.empty() ? "a token of the vocabulary that is not empty"
                                         : "printable ASCII characters, as it is normalized"));
  }
  return {};
}

SpecialTokenFinder::SpecialTokenFinder(const Vocabulary& vocabulary,
                                       std::span<const AddedToken> added) {
  const auto add = [&](std::int32_t id) {
    const std::string_view text = vocabulary.token(id);
    longest_first_.push_back({text, id});
    if (!first_bytes_.contains(text.front())) first_bytes_.push_back(text.front());
  };
  for (const std::int32_t id : vocabulary.special().ids()) add(id);
  for (const AddedToken& token : added)
    if (!token.normalized) add(token.id);
  std::ranges::sort(longest_first_, std::ranges::greater(),
                    [](const Token& token) { return token.text.size(); });
}

std::size_t SpecialTokenFinder::find_first_byte(std::string_view text,
                                                std::size_t from) const noexcept {
  // A search for a single byte looks at many bytes at a time, and nearly always all tokens begin
  // with the same byte, "[".
  if (first_bytes_.size() == 1) return text.find(first_bytes_.front(), from);
  return text.find_first_of(first_bytes_, from);
}

SpecialTokenFinder::Found SpecialTokenFinder::find(std::string_view text,
                                                   std::size_t from) const noexcept {
  for (std::size_t i = find_first_byte(text, from); i < text.size();
       i = find_first_byte(text, i + 1)) {
    for (const Token& token : longest_first_) {
      if (text.substr(i).starts_with(token.text)) return {i, token.text.size(), token.id};
    }
  }
  return {text.size(), 0, 0};
}

NormalizedTokenFinder::NormalizedTokenFinder(const Vocabulary& vocabulary,
                                             const Normalizer& normalizer,
                                             std::span<const AddedToken> added)
    : normalizer_(normalizer) {
  for (const AddedToken& token : added) {
    if (!token.normalized) continue;
    std::string text;
    for (const char c : vocabulary.token(token.id))
      text += normalizer[static_cast<std::uint8_t>(c)].text();
    longest_first_.push_back({std::move(text), token.id});
  }
  std::ranges::sort(longest_first_, std::ranges::greater(),
                    [](const Token& token) { return token.text.size(); });
  for (std::size_t byte = 0; byte < may_begin_.size(); ++byte) {
    // A character that is not ASCII may lose an accent.
    may_begin_[byte] = std::ranges::any_of(longest_first_, [&](const Token& token) {
      return byte >= 0x80 ||
             normalizer[static_cast<char32_t>(byte)].text() == token.text.substr(0, 1);
    });
  }
}

FoundToken NormalizedTokenFinder::find(std::string_view text, std::size_t from) const {
  for (std::size_t i = from; i < text.size() && !longest_first_.empty(); ++i) {
    if (!may_begin_[static_cast<std::uint8_t>(text[i])]) continue;
    for (const Token& token : longest_first_) {
      if (const std::size_t size = match(text.substr(i), token); size > 0)
        return {i, size, token.id};
    }
  }
  return {text.size(), 0, 0};
}

std::size_t NormalizedTokenFinder::match(std::string_view text, const Token& token) const {
  std::size_t matched = 0;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end && matched < token.text.size();) {
    const DecodedCodePoint decoded = decode_utf8(at, end);
    const NormalizedCharacter& character = normalizer_[decoded.code_point];
    at += decoded.size;
    if (character.character_class == CharacterClass::dropped && matched > 0) continue;
    if (character.size == 0 || !token.text.substr(matched).starts_with(character.text())) return 0;
    matched += character.size;
    if (matched == token.text.size()) return static_cast<std::size_t>(at - text.data());
  }
  return 0;
}

}  // namespace embd::wordpiece
