#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/unigram/pieces.h"

namespace embd::unigram {

/// Divides words into the pieces with the highest sum of scores, as `tokenizers` does: sums are
/// computed in double precision, and of equal sums the one whose last piece begins earliest wins.
/// Neighbouring unknown characters become one unknown piece.
///
/// It needs one byte of memory for each byte of the word, and 2 KB. `pieces` must outlive it.
class Viterbi {
 public:
  explicit Viterbi(const Pieces& pieces) noexcept : pieces_(&pieces) { scores_.fill(unreached); }

  /// Finds the pieces of `word`, which is UTF-8 and must stay valid until they are read. Takes time
  /// of at most the word's length times that of the longest piece. Fails with unsupported for an
  /// unknown character if there is no piece for it. Throws std::bad_alloc.
  Result<void> cut(std::string_view word);

  struct Piece {
    std::int32_t id;
    std::size_t size;  ///< bytes of the word that the piece covers
  };
  /// Stores the next piece of the word in `piece`. Returns false after the last piece.
  bool next(Piece& piece) noexcept;

  /// Frees memory that only a very long word needs.
  void shrink() noexcept;

 private:
  /// The score of a position that no division has reached.
  static constexpr double unreached = -std::numeric_limits<double>::infinity();

  /// Finds the pieces of word_, whose scores are of type float or double.
  template <class Score>
  Result<void> divide(std::span<const Score> piece_scores);
  /// Returns the score of the best division of word_[0, end) so far.
  double& score_of(std::size_t end) noexcept { return scores_[end % scores_.size()]; }
  /// Records the division of word_[0, end) whose last piece has `size` bytes, if it is the best so
  /// far. Returns true if it is.
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
  /// While a word is divided: the size of the last piece of the best division of word_[0, i); 0 if
  /// there is none yet. After that: the size of the piece that begins at i.
  std::vector<std::uint8_t> sizes_;
  /// The score of the best division of word_[0, i), at i modulo the size of the array, which
  /// suffices because no piece is longer.
  std::array<double, Pieces::max_size + 1> scores_{};
  std::size_t at_ = 0;         ///< the offset where the next piece begins
  std::size_t bytes_end_ = 0;  ///< up to this offset, bytes are pieces
};

}  // namespace embd::unigram
