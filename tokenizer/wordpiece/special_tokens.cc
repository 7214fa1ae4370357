#include "tokenizer/wordpiece/special_tokens.h"

#include <algorithm>

namespace embd::wordpiece {

SpecialTokenFinder::SpecialTokenFinder(const Vocabulary& vocabulary) {
  for (const std::int32_t id : vocabulary.special().ids()) {
    const std::string_view text = vocabulary.token(id);
    longest_first_.push_back({text, id});
    begins_one_[static_cast<std::uint8_t>(text.front())] = true;
  }
  std::ranges::sort(longest_first_, std::ranges::greater(),
                    [](const Token& token) { return token.text.size(); });
}

SpecialTokenFinder::Found SpecialTokenFinder::find(std::string_view text,
                                                   std::size_t from) const noexcept {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (!begins_one_[static_cast<std::uint8_t>(text[i])]) [[likely]]
      continue;
    for (const Token& token : longest_first_) {
      if (text.substr(i).starts_with(token.text)) return {i, token.text.size(), token.id};
    }
  }
  return {text.size(), 0, 0};
}

}  // namespace embd::wordpiece
