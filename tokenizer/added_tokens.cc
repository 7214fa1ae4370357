#include "tokenizer/added_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/try.h"
#include "base/utf8.h"
#include "tokenizer/unicode_class.h"

namespace embd {
namespace {

/// The largest size of an added token in bytes. It limits the work at each byte of a text.
constexpr std::size_t max_size = 255;

/// Returns the last code point of a text that is not empty; U+FFFD if bytes there are malformed.
DecodedCodePoint last_code_point(std::string_view text) noexcept {
  std::size_t last = text.size() - 1;
  while (last > 0 && (static_cast<std::uint8_t>(text[last]) & 0xc0U) == 0x80U) --last;
  const DecodedCodePoint decoded = decode_utf8(text.data() + last, text.data() + text.size());
  return decoded.size == text.size() - last ? decoded : DecodedCodePoint{0xfffd, 1};
}

/// Returns where the white space at the end of text[from, to) begins.
std::size_t white_space_begin(std::string_view text, std::size_t from, std::size_t to) noexcept {
  while (to > from) {
    const DecodedCodePoint last = last_code_point(text.substr(from, to - from));
    if (!is_white_space(last.code_point)) break;
    to -= last.size;
  }
  return to;
}

/// Returns true if no code point of a word stands directly before text[begin, end) or behind it.
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) noexcept {
  if (begin > 0 && is_word_character(last_code_point(text.substr(0, begin)).code_point))
    return false;
  return end == text.size() ||
         !is_word_character(decode_utf8(text.data() + end, text.data() + text.size()).code_point);
}

}  // namespace

Result<AddedTokens> AddedTokens::create(std::span<const AddedText> tokens) try {
  AddedTokens added;
  std::vector<std::string_view> texts;
  for (const auto& [text, token] : tokens) {
    if (text.empty() || text.size() > max_size) {
      return fail(ErrorCode::bad_value, "the added token {} has {} bytes, expected 1 to {}",
                  token.id, text.size(), max_size);
    }
    texts.push_back(text);
    added.tokens_.push_back(token);
    added.begins_one_[static_cast<std::uint8_t>(text.front())] = true;
  }
  if (std::ranges::count(added.begins_one_, true) == 1) added.only_first_byte_ = texts[0].front();
  added.units_ = EMBD_TRY(build_double_array(texts));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (added.trie().find(texts[i]) != i) {
      return fail(ErrorCode::duplicate_token,
                  "two added tokens are \"{}\", expected a different text for each", texts[i]);
    }
  }
  return added;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for {} added tokens",
              tokens.size());
}

std::size_t AddedTokens::find_first_byte(std::string_view text, std::size_t from) const noexcept {
  // A search for a single byte looks at many bytes at a time.
  if (only_first_byte_) return text.find(*only_first_byte_, from);
  while (from < text.size() && !begins_one_[static_cast<std::uint8_t>(text[from])]) ++from;
  return from;
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text,
                                                    std::size_t from) const noexcept {
  if (empty()) return std::nullopt;
  for (std::size_t begin = find_first_byte(text, from); begin < text.size();
       begin = find_first_byte(text, begin + 1)) {
    Match match = {begin, begin, nullptr};
    DoubleArray::Walk walk(trie());
    for (std::size_t i = begin; i < text.size() && walk.step(text[i]); ++i) {
      const std::uint32_t number = walk.number();
      if (number != DoubleArray::no_number) match = {begin, i + 1, &tokens_[number]};
    }
    if (match.token != nullptr) return match;
  }
  return std::nullopt;
}

bool AddedTokens::Cuts::next() noexcept {
  if (done_ == text_.size() && searched_ == text_.size()) return false;
  while (const auto match = tokens_.find(text_, searched_)) {
    searched_ = match->end;
    // The search goes on behind such a token, as in `tokenizers`.
    if (match->token->single_word && !stands_alone(text_, match->begin, match->end)) continue;
    token_ = match->token;
    token_text_ = text_.substr(match->begin, match->end - match->begin);
    std::size_t begin = match->begin;
    if (token_->lstrip && begin > done_) begin = white_space_begin(text_, done_, begin);
    // The white space behind an earlier token may have the beginning of this one in it.
    before_ = begin > done_ ? text_.substr(done_, begin - done_) : std::string_view();
    done_ = token_->rstrip ? white_space_end(match->end) : match->end;
    return true;
  }
  token_ = nullptr;
  before_ = text_.substr(done_);
  done_ = searched_ = text_.size();
  return !before_.empty();
}

std::size_t AddedTokens::Cuts::white_space_end(std::size_t from) noexcept {
  if (from >= white_begin_ && from < white_end_) return white_end_;
  white_begin_ = white_end_ = from;
  while (white_end_ < text_.size()) {
    const DecodedCodePoint next =
        decode_utf8(text_.data() + white_end_, text_.data() + text_.size());
    if (!is_white_space(next.code_point)) break;
    white_end_ += next.size;
  }
  return white_end_;
}

std::vector<AddedToken> with_special_tokens(const SpecialTokenIds& special,
                                            std::span<const AddedToken> added) {
  std::vector<AddedToken> all;
  for (const std::int32_t id : special.ids()) {
    if (std::ranges::find(all, id, &AddedToken::id) != all.end()) continue;
    const auto given = std::ranges::find(added, id, &AddedToken::id);
    all.push_back(given == added.end() ? AddedToken{.id = id} : *given);
  }
  const std::size_t num_special = all.size();
  for (const AddedToken& token : added) {
    const auto first = std::span(all).first(num_special);
    if (std::ranges::find(first, token.id, &AddedToken::id) == first.end()) all.push_back(token);
  }
  return all;
}

std::vector<bool> only_added_of(std::span<const AddedToken> tokens, std::size_t vocab_size) {
  std::vector<bool> only_added(vocab_size);
  for (const AddedToken& token : tokens) {
    if (token.only_added && token.id >= 0 && static_cast<std::size_t>(token.id) < vocab_size)
      only_added[static_cast<std::size_t>(token.id)] = true;
  }
  return only_added;
}

std::vector<std::int32_t> special_ids(std::span<const AddedToken> tokens) {
  std::vector<std::int32_t> ids;
  for (const AddedToken& token : tokens)
    if (token.special) ids.push_back(token.id);
  std::ranges::sort(ids);
  return ids;
}

Result<AddedTokens> added_tokens_of(std::span<const std::string_view> texts,
                                    std::span<const AddedToken> added, bool normalized) {
  std::vector<AddedText> chosen;
  for (const AddedToken& token : added) {
    if (token.id < 0 || static_cast<std::size_t>(token.id) >= texts.size()) {
      return fail(
          ErrorCode::special_token_id,
          "the id of an added token is {}, but the vocabulary has {} tokens, counted from 0",
          token.id, texts.size());
    }
    if (token.normalized == normalized) chosen.push_back({texts[token.id], token});
  }
  return AddedTokens::create(chosen);
}

}  // namespace embd
