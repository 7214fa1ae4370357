#include "tokenizer/bpe/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <string>

#include "base/try.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/bpe/byte_letters.h"

namespace embd::bpe {
namespace {

std::uint64_t hash_of(std::string_view token) noexcept {
  std::uint64_t hash = 0x243f6a8885a308d3U;
  for (const char byte : token)
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

/// Returns the number of slots for so many entries: a power of two, at most half of them full.
std::size_t num_slots(std::size_t entries) noexcept {
  return std::bit_ceil(std::max<std::size_t>(entries, 1) * 2);
}

}  // namespace

Result<Vocabulary> Vocabulary::create(const Tables& tables, std::span<const AddedToken> added,
                                      bool byte_names) try {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  if (tables.tokens.size() > most || tables.merges.size() / 2 > most) {
    return fail(ErrorCode::bad_count,
                "there are {} tokens and {} merges, expected at most 2^31 - 1 of each",
                tables.tokens.size(), tables.merges.size() / 2);
  }
  if (tables.merges.size() % 2 != 0) {
    return fail(ErrorCode::bad_count, "the merges are {} numbers, expected pairs",
                tables.merges.size());
  }
  Vocabulary vocabulary;
  vocabulary.tables_ = tables;
  EMBD_TRY(vocabulary.fill_tokens(added));
  EMBD_TRY(vocabulary.fill_merges());
  EMBD_TRY(vocabulary.fill_bytes(byte_names));
  return vocabulary;
} catch (const std::bad_alloc&) {
  return fail(ErrorCode::out_of_memory, "there is not enough memory for {} tokens and {} merges",
              tables.tokens.size(), tables.merges.size() / 2);
}

Result<void> Vocabulary::fill_tokens(std::span<const AddedToken> added) {
  const std::vector<bool> skipped = only_added_of(added, tokens().size());
  slots_.assign(num_slots(tokens().size()), -1);
  for (std::size_t id = 0; id < tokens().size(); ++id) {
    if (skipped[id]) continue;
    std::int32_t& slot = slots_[find_slot(tokens()[id])];
    if (slot >= 0) {
      return fail(
          ErrorCode::duplicate_token,
          "the tokens {} and {} have the same text, \"{}\", expected a different text for each", id,
          slot, tokens()[id]);
    }
    slot = static_cast<std::int32_t>(id);
  }
  return {};
}

Result<void> Vocabulary::fill_merges() {
  const std::span<const std::uint32_t> parts = merges();
  merges_.resize(parts.empty() ? 0 : num_slots(parts.size() / 2));
  merge_shift_ = 64 - std::countr_zero(std::max<std::size_t>(merges_.size(), 2));
  std::string whole;
  for (std::size_t rank = 0; rank < parts.size() / 2; ++rank) {
    const std::uint32_t left = parts[2 * rank];
    const std::uint32_t right = parts[2 * rank + 1];
    if (left >= tokens().size() || right >= tokens().size()) {
      return fail(
          ErrorCode::bad_value,
          "merge {} is of the tokens {} and {}, but the vocabulary has {} tokens, counted from 0",
          rank, left, right, tokens().size());
    }
    whole.assign(tokens()[left]).append(tokens()[right]);
    const auto id = find(whole);
    if (!id) {
      return fail(ErrorCode::bad_value, "merge {} forms \"{}\", which is not in the vocabulary",
                  rank, whole);
    }
    // Of equal pairs, the last one counts.
    const std::uint64_t pair =
        pair_of(static_cast<std::int32_t>(left), static_cast<std::int32_t>(right));
    merges_[find_merge(pair)] = {pair, {static_cast<std::uint32_t>(rank), *id}};
  }
  return {};
}

Result<void> Vocabulary::fill_bytes(bool byte_names) {
  for (std::size_t byte = 0; byte < of_bytes_.size(); ++byte) {
    const std::string name = byte_names ? fmt::format("<0x{:02X}>", byte)
                                        : std::string(ByteLetters::letter(static_cast<char>(byte)));
    of_bytes_[byte] = find(name).value_or(-1);
    if (!byte_names || of_bytes_[byte] >= 0) continue;
    return fail(ErrorCode::missing, "the vocabulary does not contain {}, the token of a byte",
                name);
  }
  return {};
}

std::optional<std::int32_t> Vocabulary::find(std::string_view token) const noexcept {
  const std::int32_t id = slots_[find_slot(token)];
  if (id < 0) return std::nullopt;
  return id;
}

std::size_t Vocabulary::find_slot(std::string_view token) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash_of(token) & mask;
  while (slots_[i] >= 0 && tokens()[static_cast<std::size_t>(slots_[i])] != token)
    i = (i + 1) & mask;
  return i;
}

bool ByteLetters::read(std::string_view text, std::string& bytes) {
  const std::size_t size = bytes.size();
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<std::uint8_t>(text[at]);
    unsigned c = lead;
    if (lead >= 0x80) {
      const bool is_pair = lead >= 0xc2 && lead < 0xe0 && at + 1 < text.size();
      c = is_pair ? (lead & 0x1fU) << 6 | (static_cast<std::uint8_t>(text[at + 1]) & 0x3fU) : 0;
    }
    at += lead >= 0x80 ? 2 : 1;
    // The letters of the other bytes are in their order.
    unsigned byte = c;
    if (c >= 0x100) {
      unsigned next = 0x100;
      for (byte = 0; byte < 256 && (is_plain(byte) || next++ != c);) ++byte;
    }
    if (byte > 255 || (c < 0x100 && !is_plain(c))) {
      bytes.resize(size);
      return false;
    }
    bytes += static_cast<char>(byte);
  }
  return true;
}

}  // namespace embd::bpe
