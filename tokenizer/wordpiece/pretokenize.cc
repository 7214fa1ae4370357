#include "tokenizer/wordpiece/pretokenize.h"

#include <algorithm>

#include "base/utf8.h"

namespace embd::wordpiece {

void Word::append(const NormalizedCharacter& character) noexcept {
  if (too_long()) return;  // Stays so, whatever follows; the count cannot overflow.
  code_points_ += character.code_points;
  if (too_long()) return;
  std::ranges::copy(character.text(), utf8_.data() + size_);
  size_ += character.size;
}

bool next_word(const Normalizer& normalizer, std::string_view text, std::size_t& position,
               Word& word) {
  word.clear();
  const char* const end = text.data() + text.size();
  while (position < text.size()) {
    const DecodedCodePoint decoded = decode_utf8(text.data() + position, end);
    const NormalizedCharacter& character = normalizer[decoded.code_point];
    switch (character.character_class) {
      case CharacterClass::dropped:
        break;
      case CharacterClass::word:
        word.append(character);
        break;
      case CharacterClass::space:
        if (!word.empty()) return true;
        break;
      case CharacterClass::alone:
        if (!word.empty()) return true;
        word.append(character);
        position += decoded.size;
        return true;
    }
    position += decoded.size;
  }
  return !word.empty();
}

}  // namespace embd::wordpiece
