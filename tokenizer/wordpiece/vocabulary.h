#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/special_token_ids.h"

namespace embd::wordpiece {

/// WordPiece vocabulary: tokens and their ids, which are their positions. A token that continues a
/// word begins with "##".
///
/// Holds views: the bytes of the tokens belong to the caller and must outlive it (they usually lie
/// in the mapped model file). Immutable.
class Vocabulary {
 public:
  /// `tokens` are UTF-8 and distinct; only the views are copied. Errors: special_token_id for one
  /// outside the vocabulary, missing for one that is an empty string, duplicate_token.
  static Result<Vocabulary> create(std::span<const std::string_view> tokens,
                                   const SpecialTokenIds& special);

  std::size_t size() const noexcept { return tokens_.size(); }
  const SpecialTokenIds& special() const noexcept { return special_; }
  std::span<const std::string_view> tokens() const noexcept { return tokens_; }
  /// Empty if there is no such id.
  std::string_view token(std::int32_t id) const noexcept {
    return id >= 0 && static_cast<std::size_t>(id) < size() ? tokens_[id] : std::string_view();
  }

  /// Bytes of a word that a token covers: "##" is not counted.
  static std::size_t piece_size(std::string_view token) noexcept;

  /// A token found: its id, and how many bytes of the text it covers ("##" not counted).
  struct Match {
    std::int32_t id;
    std::size_t size;  ///< 0: nothing found
  };
  enum class Place : std::uint8_t { begins_word, continues_word };
  /// The longest token at the front of `text` that may stand in that place of a word.
  Match longest_match(std::string_view text, Place place) const noexcept;

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< upper half of the hash
    std::int32_t id = -1;   ///< -1: empty
  };

  Vocabulary() = default;
  /// The slot of that token, or the empty one where it belongs.
  std::size_t find_slot(std::uint64_t hash, std::string_view text, Place place) const noexcept;

  std::vector<std::string_view> tokens_;
  SpecialTokenIds special_;
  std::size_t longest_ = 0;  ///< bytes of the longest token
  std::vector<Slot> slots_;  ///< open addressing, linear probing, at most half full
  int shift_ = 0;            ///< hash >> shift_ is a slot
  /// Eight bits a slot, few of them set: most prefixes of a word are no token, and this says so
  /// without a look into the slots, of which half are taken.
  std::vector<bool> filter_;
};

}  // namespace embd::wordpiece
