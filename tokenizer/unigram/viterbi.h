#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/unigram/pieces.h"

namespace embd::unigram {

/// Cuts words into the pieces with the highest sum of scores, as `tokenizers` does: sums are
/// doubles, and of equal sums the one whose last piece begins earliest wins. Neighbouring unknown
/// characters are one unknown piece.
///
/// Memory: one byte for each byte of the word, and 2 KB. `pieces` must outlive it.
class Viterbi {
 public:
  explicit Viterbi(const Pieces& pieces) noexcept : pieces_(&pieces) { scores_.fill(unreached); }

  /// Finds the pieces of `word`, which is UTF-8 and must stay until they are read. Time is at most
  /// the word's length times the longest piece. Errors: unsupported for an unknown character where
  /// there is no piece for these. Throws std::bad_alloc.
  Result<void> cut(std::string_view word);

  struct Piece {
    std::int32_t id;
    std::size_t size;  ///< bytes of the word that it covers
  };
  /// Puts the next piece of the word into `piece`. Returns false after the last one.
  bool next(Piece& piece) noexcept;

  /// Gives back memory that only a very long word needs.
  void shrink() noexcept;

 private:
  /// The score of a cut that was not found.
  static constexpr double unreached = -std::numeric_limits<double>::infinity();

  /// The score of the best cut of word_[0, end) so far.
  double& score_of(std::size_t end) noexcept { return scores_[end % scores_.size()]; }
  /// Takes the cut of word_[0, end) whose last piece has `size` bytes if it is the best so far.
  bool improve(std::size_t end, std::size_t size, double score) noexcept {
    double& best = score_of(end);
    const bool is_better = score > best;
    best = is_better ? score : best;
    sizes_[end] = is_better ? static_cast<std::uint8_t>(size) : sizes_[end];
    return is_better;
  }
  void turn_around() noexcept;
  std::optional<std::int32_t> known_piece(std::size_t begin) const noexcept;
  Piece take_unknown() noexcept;

  const Pieces* pieces_;
  std::string_view word_;
  /// While a word is cut: how long the last piece of the best cut of word_[0, i) is, 0 for none
  /// yet. Then: how long the piece is that begins at i.
  std::vector<std::uint8_t> sizes_;
  /// The score of the best cut of word_[0, i), at i modulo the size: no piece is longer.
  std::array<double, Pieces::max_size + 1> scores_{};
  std::size_t at_ = 0;         ///< where the next piece begins
  std::size_t bytes_end_ = 0;  ///< up to here, bytes are pieces
};

}  // namespace embd::unigram
