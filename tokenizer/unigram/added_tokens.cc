#include "tokenizer/unigram/added_tokens.h"

#include <fmt/format.h>

#include <new>

#include "base/try.h"
#include "tokenizer/unigram/double_array_builder.h"
#include "tokenizer/unigram/white_space.h"
#include "tokenizer/utf8_decode.h"

namespace embd::unigram {
namespace {

/// The largest size of an added token in bytes. It limits the work at each byte of a text.
constexpr std::size_t max_size = 255;

/// Returns where the white space at the end of text[from, to) begins.
std::size_t white_space_begin(std::string_view text, std::size_t from, std::size_t to) noexcept {
  while (to > from) {
    std::size_t last = to - 1;
    while (last > from && (static_cast<std::uint8_t>(text[last]) & 0xc0U) == 0x80U) --last;
    const DecodedCodePoint decoded = decode_utf8(text.data() + last, text.data() + to);
    if (decoded.size != to - last || !is_white_space(decoded.code_point)) break;
    to = last;
  }
  return to;
}

}  // namespace

Result<AddedTokens> AddedTokens::create(std::span<const AddedToken> tokens) try {
  AddedTokens added;
  std::vector<std::string_view> texts;
  for (const AddedToken& token : tokens) {
    if (token.text.empty() || token.text.size() > max_size) {
      return fail(ErrorCode::bad_value,
                  fmt::format("the added token {} has {} bytes, expected 1 to {}", token.id,
                              token.text.size(), max_size));
    }
    texts.push_back(token.text);
    added.entries_.push_back({token.id, token.lstrip});
    added.begins_one_[static_cast<std::uint8_t>(token.text.front())] = true;
  }
  added.units_ = EMBD_TRY(build_double_array(texts));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (added.trie().find(texts[i]) != i) {
      return fail(
          ErrorCode::duplicate_token,
          fmt::format("two added tokens are \"{}\", expected a different text for each", texts[i]));
    }
  }
  return added;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory,
              fmt::format("there is not enough memory for {} added tokens", tokens.size()));
}

std::optional<AddedTokens::Found> AddedTokens::find(std::string_view text,
                                                    std::size_t from) const noexcept {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!begins_one_[static_cast<std::uint8_t>(text[begin])]) [[likely]]
      continue;
    std::size_t end = begin;
    Entry found{};
    DoubleArray::Walk walk(trie());
    for (std::size_t i = begin; i < text.size() && walk.step(text[i]); ++i) {
      const std::uint32_t number = walk.number();
      if (number == DoubleArray::no_number) continue;
      end = i + 1;
      found = entries_[number];
    }
    if (end == begin) continue;
    return Found{.begin = found.lstrip ? white_space_begin(text, from, begin) : begin,
                 .text_begin = begin,
                 .end = end,
                 .id = found.id};
  }
  return std::nullopt;
}

}  // namespace embd::unigram
