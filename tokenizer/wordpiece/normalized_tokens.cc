#include "tokenizer/wordpiece/normalized_tokens.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/try.h"
#include "base/utf8.h"

namespace embd::wordpiece {
namespace {

constexpr std::string_view space = " ";

/// Calls `visit` with each part of the normalized text of a code point.
void visit_parts(const Normalizer& normalizer, char32_t code_point, const auto& visit) {
  const NormalizedCharacter& character = normalizer[code_point];
  if (character.character_class == CharacterClass::space) {
    visit(space);
  } else if (character.character_class == CharacterClass::alone && is_ideograph(code_point)) {
    visit(space);
    visit(character.text());
    visit(space);
  } else {
    visit(character.text());
  }
}

}  // namespace

void normalize(const Normalizer& normalizer, std::string_view text, AlignedText& out) {
  out.clear();
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const DecodedCodePoint decoded = decode_utf8(at, end);
    const std::string_view source(at, decoded.size);
    visit_parts(normalizer, decoded.code_point,
                [&](std::string_view part) { out.append(part, source); });
    at += decoded.size;
  }
}

Result<NormalizedTokens> NormalizedTokens::create(const Vocabulary& vocabulary,
                                                  const Normalizer& normalizer,
                                                  std::span<const AddedToken> added) {
  std::vector<std::string> texts;
  std::vector<AddedToken> tokens;
  AlignedText aligned;
  for (const AddedToken& token : added) {
    if (!token.normalized) continue;
    normalize(normalizer, vocabulary.token(token.id), aligned);
    texts.emplace_back(aligned.text());
    tokens.push_back(token);
  }
  NormalizedTokens made;
  if (tokens.empty()) return made;
  std::vector<AddedText> normalized;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    normalized.push_back({texts[i], tokens[i]});
    if (!texts[i].empty()) made.begins_one_[static_cast<std::uint8_t>(texts[i].front())] = true;
  }
  made.tokens_ = EMBD_TRY(AddedTokens::create(normalized));
  for (char32_t c = 0; c < made.may_begin_.size(); ++c) {
    visit_parts(normalizer, c, [&](std::string_view part) {
      if (!part.empty())
        made.may_begin_[c] |= made.begins_one_[static_cast<std::uint8_t>(part.front())];
    });
  }
  return made;
}

bool NormalizedTokens::may_be_in(std::string_view text, const Normalizer& normalizer) const {
  if (tokens_.empty()) return false;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const auto byte = static_cast<std::uint8_t>(*at);
    if (byte < may_begin_.size()) {
      if (may_begin_[byte]) return true;
      ++at;
      continue;
    }
    const DecodedCodePoint decoded = decode_utf8(at, end);
    bool may_begin = false;
    // Continuing bytes are no first bytes of tokens, so all bytes of a part may be asked.
    visit_parts(normalizer, decoded.code_point, [&](std::string_view part) {
      may_begin |= std::ranges::any_of(
          part, [&](char c) { return begins_one_[static_cast<std::uint8_t>(c)]; });
    });
    if (may_begin) return true;
    at += decoded.size;
  }
  return false;
}

}  // namespace embd::wordpiece
