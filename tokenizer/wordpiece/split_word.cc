#include "tokenizer/wordpiece/split_word.h"

namespace embd::wordpiece {

std::size_t split_word(const Vocabulary& vocabulary, const Word& word,
                       WordPieces& pieces) noexcept {
  const auto unknown = [&] {
    pieces[0] = vocabulary.special().unk;
    return std::size_t{1};
  };
  if (word.too_long()) return unknown();

  std::size_t count = 0;
  auto place = Vocabulary::Place::begins_word;
  for (std::string_view rest = word.text(); !rest.empty();) {
    const Vocabulary::Match match = vocabulary.longest_match(rest, place);
    if (match.size == 0) return unknown();
    pieces[count++] = match.id;
    rest.remove_prefix(match.size);
    place = Vocabulary::Place::continues_word;
  }
  return count;
}

}  // namespace embd::wordpiece
