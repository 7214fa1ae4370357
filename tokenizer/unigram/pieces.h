#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "base/bytes.h"
#include "embd/error.h"
#include "tokenizer/double_array.h"

namespace embd::unigram {

/// The score of each piece, by id. Those of SentencePiece are float32, other programs train
/// float64.
using Scores = std::variant<std::span<const float>, std::span<const double>>;

/// Returns the number of scores.
std::size_t size_of(const Scores& scores) noexcept;

/// The tables of a Unigram vocabulary. The id of a piece is its index.
struct PieceTables {
  std::span<const std::string_view> texts;  ///< UTF-8; of equal texts, the last one counts
  Scores scores;                            ///< a score for each text
  Bytes trie;                               ///< the result of build_double_array() for the texts
};

struct PieceOptions {
  /// The piece for characters that no other piece covers. Without it, such a character is an error.
  std::optional<std::int32_t> unk;
  /// True if such characters become pieces of their bytes, `<0x00>` to `<0xFF>`, provided that the
  /// vocabulary has all of these pieces that they need.
  bool byte_fallback = false;
};

/// The pieces of a Unigram model with their scores.
///
/// It is a view: the tables belong to the caller and must outlive it. Usually they are in a mapped
/// file, of which only the parts that texts need are read. Immutable.
class Pieces {
 public:
  /// The largest size of a piece in bytes. The time for a text is at most the text's length times
  /// this.
  static constexpr std::size_t max_size = 255;
  /// The number by which the score of an unknown character is below the lowest score of a piece.
  static constexpr double unknown_penalty = 10;

  /// Reads all scores and the lengths of the pieces. The trie is not trusted: if it does not
  /// contain the pieces, ids are wrong, but no memory is accessed out of bounds (see
  /// check_double_array()). Fails with bad_count for tables of different lengths or a trie with an
  /// incomplete unit, with special_token_id, and with bad_value for a piece that is too long or a
  /// score that is not a number.
  static Result<Pieces> create(const PieceTables& tables, const PieceOptions& options);

  const DoubleArray& trie() const noexcept { return trie_; }
  std::optional<std::int32_t> unk() const noexcept { return unk_; }
  /// Returns the scores of all pieces, by id.
  const Scores& scores() const noexcept { return scores_; }
  double unknown_score() const noexcept { return unknown_score_; }

  /// Returns the id of the piece with this text, if there is one.
  std::optional<std::int32_t> find(std::string_view text) const noexcept {
    const std::uint32_t number = trie_.find(text);
    if (number >= size_) return std::nullopt;
    return static_cast<std::int32_t>(number);
  }
  /// Returns the piece for a byte of an unknown character, if bytes have pieces.
  std::optional<std::int32_t> byte_piece(char byte) const noexcept {
    return byte_pieces_[static_cast<std::uint8_t>(byte)];
  }

 private:
  void find_byte_pieces() noexcept;

  DoubleArray trie_;
  Scores scores_;
  std::size_t size_ = 0;  ///< the number of pieces
  std::optional<std::int32_t> unk_;
  double unknown_score_ = 0;
  /// The piece of each byte, if PieceOptions::byte_fallback is set and the vocabulary has it.
  std::array<std::optional<std::int32_t>, 256> byte_pieces_{};
};

}  // namespace embd::unigram
