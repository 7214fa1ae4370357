#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "embd/error.h"
#include "tokenizer/unigram/double_array.h"

namespace embd::unigram {

/// The tables of a Unigram vocabulary. Ids are positions.
struct PieceTables {
  std::span<const std::string_view> texts;  ///< UTF-8; of equal ones, the last one counts
  std::span<const float> scores;            ///< as many
  Bytes trie;                               ///< by build_double_array() of the texts
};

struct PieceOptions {
  /// The piece for characters that no other piece covers. Without it such a text is an error.
  std::optional<std::int32_t> unk;
  /// Whether such characters become pieces of their bytes, `<0x00>` to `<0xFF>`, where the
  /// vocabulary has all of these that they need.
  bool byte_fallback = false;
};

/// The pieces of a Unigram model with their scores.
///
/// A view: the tables belong to the caller and must outlive it; usually they lie in a mapped file,
/// of which only the parts are read that texts touch. Immutable.
class Pieces {
 public:
  /// Bytes of the longest piece. Time for a text is at most the text's length times this.
  static constexpr std::size_t max_size = 255;
  /// How much lower than the lowest score an unknown character's is.
  static constexpr double unknown_penalty = 10;

  /// Reads all scores and the pieces' lengths, and trusts the trie in nothing: one that does not
  /// spell the pieces gives wrong ids, never a wrong access (see check_double_array). Errors:
  /// bad_count for tables of different lengths or a trie of no whole units, special_token_id,
  /// bad_value for a piece that is too long or a score that is no number.
  static Result<Pieces> create(const PieceTables& tables, const PieceOptions& options);

  const DoubleArray& trie() const noexcept { return trie_; }
  std::optional<std::int32_t> unk() const noexcept { return unk_; }
  /// By id.
  std::span<const float> scores() const noexcept { return scores_; }
  double unknown_score() const noexcept { return unknown_score_; }

  /// Returns the piece with that text, if there is one.
  std::optional<std::int32_t> find(std::string_view text) const noexcept {
    const std::uint32_t number = trie_.find(text);
    if (number >= scores_.size()) return std::nullopt;
    return static_cast<std::int32_t>(number);
  }
  /// Returns the piece of a byte that is part of an unknown character, if bytes fall back.
  std::optional<std::int32_t> byte_piece(char byte) const noexcept {
    return byte_pieces_[static_cast<std::uint8_t>(byte)];
  }

 private:
  void find_byte_pieces() noexcept;

  DoubleArray trie_;
  std::span<const float> scores_;
  std::optional<std::int32_t> unk_;
  double unknown_score_ = 0;
  /// By byte, where bytes fall back and the vocabulary has them.
  std::array<std::optional<std::int32_t>, 256> byte_pieces_{};
};

}  // namespace embd::unigram
