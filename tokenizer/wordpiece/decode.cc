#include "tokenizer/wordpiece/decode.h"

#include <algorithm>
#include <utility>

namespace embd::wordpiece {
namespace {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at; (at = text.find(from)) != std::string_view::npos;) {
    out += text.substr(0, at);
    out += to;
    text.remove_prefix(at + from.size());
  }
  out += text;
  return out;
}

}  // namespace

std::string decode(const Vocabulary& vocabulary, std::span<const std::int32_t> ids,
                   bool skip_special) {
  const auto special = vocabulary.special().ids();
  std::string text;
  for (const std::int32_t id : ids) {
    if (skip_special && std::ranges::find(special, id) != special.end()) continue;
    const std::string_view token = vocabulary.token(id);
    const std::string_view piece = token.substr(token.size() - Vocabulary::piece_size(token));
    if (piece.size() < token.size() && !text.empty()) {
      text += piece;
    } else {
      if (!text.empty()) text += ' ';
      text += token;
    }
  }
  constexpr std::pair<std::string_view, std::string_view> cleanups[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : cleanups) text = replaced(text, from, to);
  return text;
}

}  // namespace embd::wordpiece
