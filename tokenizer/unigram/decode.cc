#include "tokenizer/unigram/decode.h"

namespace embd::unigram {
namespace {

/// Appends a piece with `space` in place of each word mark.
void append(std::string& text, std::string_view piece, std::string_view space) {
  for (std::size_t mark; (mark = piece.find(word_mark)) != std::string_view::npos;) {
    text.append(piece.substr(0, mark)).append(space);
    piece.remove_prefix(mark + word_mark.size());
  }
  text.append(piece);
}

}  // namespace

std::string decode(std::span<const std::string_view> pieces, PrependScheme scheme) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    append(text, pieces[i], i == 0 && scheme != PrependScheme::never ? "" : " ");
  }
  return text;
}

}  // namespace embd::unigram
