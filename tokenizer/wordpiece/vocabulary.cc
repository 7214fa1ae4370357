#include "tokenizer/wordpiece/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "base/try.h"
#include "tokenizer/added_tokens.h"

namespace embd::wordpiece {
namespace {

constexpr std::string_view continuation = "##";

/// Returns the start of the hash of a token. The hash is computed byte by byte, so that all
/// prefixes of a word are hashed in one pass. Its upper bits are the well distributed ones.
constexpr std::uint64_t hash_start(Vocabulary::Place place) noexcept {
  return place == Vocabulary::Place::begins_word ? 0x243f6a8885a308d3U : 0x13198a2e03707344U;
}
constexpr std::uint64_t hash_step(std::uint64_t hash, char byte) noexcept {
  return (hash ^ static_cast<std::uint8_t>(byte)) * 0x9e3779b97f4a7c15U;
}

}  // namespace

Result<Vocabulary> Vocabulary::create(std::span<const std::string_view> tokens,
                                      const SpecialTokenIds& special,
                                      std::span<const AddedToken> added) try {
  if (tokens.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return fail(ErrorCode::bad_count, "the vocabulary has {} tokens, expected at most 2^31 - 1",
                tokens.size());
  }
  for (const std::int32_t id : special.ids()) {
    if (id < 0 || static_cast<std::size_t>(id) >= tokens.size()) {
      return fail(
          ErrorCode::special_token_id,
          "the id of a special token is {}, but the vocabulary has {} tokens, counted from 0", id,
          tokens.size());
    }
    if (tokens[id].empty()) {
      return fail(ErrorCode::special_token_id,
                  "the special token {} is an empty text, expected at least one character", id);
    }
  }

  Vocabulary vocabulary;
  vocabulary.tokens_.assign(tokens.begin(), tokens.end());
  vocabulary.special_ = special;
  const std::size_t num_slots = std::bit_ceil(std::max<std::size_t>(tokens.size(), 1) * 2);
  vocabulary.slots_.resize(num_slots);
  vocabulary.shift_ = 64 - std::countr_zero(num_slots);
  vocabulary.filter_.resize(num_slots * 8);
  const std::vector<bool> skipped = only_added_of(added, tokens.size());
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (skipped[id]) continue;
    std::string_view text = tokens[id];
    Place place = Place::begins_word;
    if (text.starts_with(continuation)) {
      text.remove_prefix(continuation.size());
      place = Place::continues_word;
    }
    vocabulary.longest_ = std::max(vocabulary.longest_, text.size());
    std::uint64_t hash = hash_start(place);
    for (const char byte : text) hash = hash_step(hash, byte);
    Slot& slot = vocabulary.slots_[vocabulary.find_slot(hash, text, place)];
    if (slot.id >= 0) {
      return fail(
          ErrorCode::duplicate_token,
          "the tokens {} and {} have the same text, \"{}\", expected a different text for each", id,
          slot.id, tokens[id]);
    }
    slot = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(id)};
    vocabulary.filter_[hash >> (vocabulary.shift_ - 3)] = true;
  }
  return vocabulary;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for a vocabulary of {} tokens",
              tokens.size());
}

std::size_t Vocabulary::piece_size(std::string_view token) noexcept {
  return token.size() - (token.starts_with(continuation) ? continuation.size() : 0);
}

Vocabulary::Match Vocabulary::longest_match(std::string_view text, Place place) const noexcept {
  std::array<std::uint64_t, Word::max_size> hashes;
  const std::size_t longest = std::min({text.size(), longest_, hashes.size()});
  std::uint64_t hash = hash_start(place);
  for (std::size_t i = 0; i < longest; ++i) hashes[i] = hash = hash_step(hash, text[i]);
  for (std::size_t size = longest; size > 0; --size) {
    if (!filter_[hashes[size - 1] >> (shift_ - 3)]) continue;
    const Slot& slot = slots_[find_slot(hashes[size - 1], text.substr(0, size), place)];
    if (slot.id >= 0) return {slot.id, size};
  }
  return {special_.unk, 0};
}

std::size_t Vocabulary::find_slot(std::uint64_t hash, std::string_view text,
                                  Place place) const noexcept {
  const std::size_t prefix = place == Place::continues_word ? continuation.size() : 0;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash >> shift_;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id < 0) return i;
    if (slot.tag != tag) continue;
    const std::string_view token = tokens_[slot.id];
    if (token.starts_with(continuation) == (prefix != 0) && token.substr(prefix) == text) return i;
  }
}

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
