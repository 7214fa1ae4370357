#include "tokenizer/wordpiece/special_tokens.h"

#include <algorithm>

namespace embd::wordpiece {

SpecialTokenFinder::SpecialTokenFinder(const Vocabulary& vocabulary) {
  for (const std::int32_t id : vocabulary.special().ids()) {
    const std::string_view text = vocabulary.token(id);
    longest_first_.push_back({text, id});
    if (!first_bytes_.contains(text.front())) first_bytes_.push_back(text.front());
  }
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

}  // namespace embd::wordpiece
