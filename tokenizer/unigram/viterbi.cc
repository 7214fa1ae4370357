#include "tokenizer/unigram/viterbi.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/try.h"

namespace embd::unigram {
namespace {

/// The number of elements that stay allocated from text to text.
constexpr std::size_t kept_elements = std::size_t{1} << 16;

/// Returns the number of bytes of the code point that begins with the byte `lead`.
std::size_t code_point_size(char lead) noexcept {
  const auto byte = static_cast<std::uint8_t>(lead);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

Result<void> Viterbi::cut(std::string_view word) {
  word_ = word;
  at_ = bytes_end_ = 0;
  sizes_.assign(word.size() + 1, 0);
  score_of(0) = 0;
  EMBD_TRY(std::visit([this](auto scores) { return divide(scores); }, pieces_->scores()));
  turn_around();
  return {};
}

template <class Score>
Result<void> Viterbi::divide(std::span<const Score> piece_scores) {
  const std::string_view word = word_;
  const DoubleArray::Walk root(pieces_->trie());
  for (std::size_t begin = 0; begin < word.size();) {
    const double score_here = score_of(begin);
    const std::size_t width = code_point_size(word[begin]);
    const std::size_t longest = std::min(word.size() - begin, Pieces::max_size);
    bool covers_character = false;
    DoubleArray::Walk walk = root;
    for (std::size_t size = 1; size <= longest && walk.step(word[begin + size - 1]); ++size) {
      const std::uint32_t id = walk.number();
      if (id >= piece_scores.size()) continue;  // most often, no_number
      improve(begin + size, size, static_cast<double>(piece_scores[id]) + score_here);
      covers_character |= size == width;
    }
    if (!covers_character && improve(begin + width, width, pieces_->unknown_score() + score_here) &&
        !pieces_->unk()) {
      scores_.fill(unreached);
      return fail(ErrorCode::unsupported,
                  "no token of the vocabulary contains the character \"{}\", and the tokenizer has "
                  "no token for unknown characters",
                  word.substr(begin, width));
    }
    for (std::size_t end = begin + width; begin < end; ++begin) score_of(begin) = unreached;
  }
  score_of(word.size()) = unreached;
  return {};
}

/// Stores the size of each piece of the best division at the piece's first byte instead of at its
/// end.
void Viterbi::turn_around() noexcept {
  std::size_t end = word_.size();
  std::uint8_t size = sizes_[end];
  while (end > 0) {
    end -= size;
    size = std::exchange(sizes_[end], size);
  }
}

bool Viterbi::next(Piece& piece) noexcept {
  if (at_ < bytes_end_) {
    piece = {*pieces_->byte_piece(word_[at_]), 1};
  } else if (at_ == word_.size()) {
    return false;
  } else if (const auto id = known_piece(at_)) {
    piece = {*id, sizes_[at_]};
  } else {
    piece = take_unknown();
  }
  at_ += piece.size;
  return true;
}

/// Returns the piece of the best division that begins at a byte; nothing if it is the unknown
/// piece.
std::optional<std::int32_t> Viterbi::known_piece(std::size_t begin) const noexcept {
  const auto id = pieces_->find(word_.substr(begin, sizes_[begin]));
  return id == pieces_->unk() ? std::nullopt : id;
}

/// Returns neighbouring unknown pieces as one piece. Together they may happen to be a known piece.
Viterbi::Piece Viterbi::take_unknown() noexcept {
  std::size_t end = at_;
  do {
    end += sizes_[end];
  } while (end < word_.size() && !known_piece(end));
  const std::string_view unknown = word_.substr(at_, end - at_);

  if (const auto id = pieces_->find(unknown)) return {*id, unknown.size()};
  const auto has_piece = [this](char byte) { return pieces_->byte_piece(byte).has_value(); };
  if (std::ranges::all_of(unknown, has_piece)) {
    bytes_end_ = end;
    return {*pieces_->byte_piece(unknown.front()), 1};
  }
  return {*pieces_->unk(), unknown.size()};
}

void Viterbi::shrink() noexcept {
  if (sizes_.capacity() > kept_elements) sizes_ = {};
}

}  // namespace embd::unigram
