#include "tokenizer/unigram/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/try.h"

namespace embd::unigram {
namespace {

Result<void> check_sizes(const PieceTables& tables) {
  const std::size_t size = tables.texts.size();
  if (size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    return fail(ErrorCode::bad_count, "the vocabulary has {} tokens, expected at most 2^31 - 1",
                size);
  }
  if (size_of(tables.scores) != size) {
    return fail(ErrorCode::bad_count,
                "there are {} scores for {} tokens, expected one score for each token",
                size_of(tables.scores), size);
  }
  if (tables.trie.size() % sizeof(std::uint32_t) != 0) {
    return fail(ErrorCode::bad_count,
                "the trie of the vocabulary has {} bytes, expected a multiple of 4",
                tables.trie.size());
  }
  const auto too_long = std::ranges::find_if(
      tables.texts, [](std::string_view text) { return text.size() > Pieces::max_size; });
  if (too_long != tables.texts.end()) {
    return fail(ErrorCode::bad_value, "token {} has {} bytes, expected at most {}",
                too_long - tables.texts.begin(), too_long->size(), Pieces::max_size);
  }
  return {};
}

Result<void> check_finite(const Scores& scores) {
  return std::visit(
      [](auto values) -> Result<void> {
        const auto no_number =
            std::ranges::find_if(values, [](auto score) { return !std::isfinite(score); });
        if (no_number == values.end()) return {};
        return fail(ErrorCode::bad_value, "the score of token {} is {}, expected a finite number",
                    no_number - values.begin(), *no_number);
      },
      scores);
}

double least_of(const Scores& scores) {
  return std::visit([](auto values) { return static_cast<double>(std::ranges::min(values)); },
                    scores);
}

}  // namespace

std::size_t size_of(const Scores& scores) noexcept {
  return std::visit([](auto values) { return values.size(); }, scores);
}

Result<Pieces> Pieces::create(const PieceTables& tables, const PieceOptions& options) {
  EMBD_TRY(check_sizes(tables));
  if (options.unk &&
      (*options.unk < 0 || static_cast<std::size_t>(*options.unk) >= tables.texts.size())) {
    return fail(
        ErrorCode::special_token_id,
        "the id of the unknown token is {}, but the vocabulary has {} tokens, counted from 0",
        *options.unk, tables.texts.size());
  }
  EMBD_TRY(check_finite(tables.scores));

  Pieces pieces;
  pieces.trie_ = DoubleArray(tables.trie);
  pieces.scores_ = tables.scores;
  pieces.size_ = tables.texts.size();
  pieces.unk_ = options.unk;
  if (pieces.size_ > 0) pieces.unknown_score_ = least_of(tables.scores) - unknown_penalty;
  if (options.byte_fallback) pieces.find_byte_pieces();
  return pieces;
}

void Pieces::find_byte_pieces() noexcept {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (std::size_t byte = 0; byte < byte_pieces_.size(); ++byte) {
    const std::array<char, 6> text = {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
    byte_pieces_[byte] = find({text.data(), text.size()});
  }
}

}  // namespace embd::unigram
