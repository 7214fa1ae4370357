#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/special_tokens.h"

namespace embd::bpe {

/// The tables of a BPE vocabulary. The id of a token is its index.
struct Tables {
  std::span<const std::string_view> tokens;  ///< The tokens, in the letters of ByteLetters.
  /// The ids of the two parts of each merge, one pair behind the other. Merges come in the order of
  /// their ranks.
  std::span<const std::uint32_t> merges;
};

/// The tokens of a BPE model and its merges: which two neighbouring tokens become one, and in which
/// order.
///
/// It holds views: the bytes of the tokens belong to the caller and must outlive it. Immutable.
class Vocabulary {
 public:
  /// Words do not become tokens of `added` that are only added. With `byte_names`, the token of a
  /// byte is such as "<0x0A>", and all 256 must be there, else missing; without, it is the letter
  /// of ByteLetters. Fails with bad_count for too many tokens, merges or half a merge, with
  /// bad_value for a merge whose parts, or the token that they form, are not in the vocabulary,
  /// with duplicate_token, and with out_of_memory.
  static Result<Vocabulary> create(const Tables& tables, std::span<const AddedToken> added = {},
                                   bool byte_names = false);

  std::span<const std::string_view> tokens() const noexcept { return tables_.tokens; }
  std::span<const std::uint32_t> merges() const noexcept { return tables_.merges; }
  /// Returns the token with this id; empty if there is no such id.
  std::string_view token(std::int32_t id) const noexcept {
    const auto texts = tokens();
    return id >= 0 && static_cast<std::size_t>(id) < texts.size() ? texts[id] : std::string_view();
  }
  /// Returns the id of a token.
  std::optional<std::int32_t> find(std::string_view token) const noexcept;
  /// Returns the id of the token for one byte; -1 if there is none.
  std::int32_t of_byte(char byte) const noexcept {
    return of_bytes_[static_cast<std::uint8_t>(byte)];
  }

  /// A merge of two tokens.
  struct Merge {
    std::uint32_t rank = no_rank;  ///< The lowest one comes first.
    std::int32_t id = 0;           ///< The token that the two form.
  };
  static constexpr std::uint32_t no_rank = ~std::uint32_t{0};
  /// Returns the merge of two tokens; one with no_rank if they are not merged.
  Merge merge(std::int32_t left, std::int32_t right) const noexcept {
    return merges_.empty() ? Merge() : merges_[find_merge(pair_of(left, right))].merge;
  }

 private:
  struct MergeSlot {
    std::uint64_t pair = no_pair;
    Merge merge;
  };
  static constexpr std::uint64_t no_pair = ~std::uint64_t{0};
  static constexpr std::uint64_t pair_of(std::int32_t left, std::int32_t right) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
           static_cast<std::uint32_t>(right);
  }

  Vocabulary() = default;
  Result<void> fill_tokens(std::span<const AddedToken> added);
  Result<void> fill_merges();
  Result<void> fill_bytes(bool byte_names);
  /// Returns the slot of the token, or the empty slot where it belongs.
  std::size_t find_slot(std::string_view token) const noexcept;
  /// Returns the slot of the merge, or the empty slot where it belongs.
  std::size_t find_merge(std::uint64_t pair) const noexcept {
    const std::size_t mask = merges_.size() - 1;
    std::size_t i = pair * 0x9e3779b97f4a7c15U >> merge_shift_;
    while (merges_[i].pair != pair && merges_[i].pair != no_pair) i = (i + 1) & mask;
    return i;
  }

  Tables tables_;
  std::vector<std::int32_t> slots_;  ///< Ids by the hash of the token, linear probing; -1: empty.
  std::vector<MergeSlot> merges_;    ///< Merges by the hash of the pair, linear probing.
  int merge_shift_ = 0;
  std::array<std::int32_t, 256> of_bytes_{};
};

}  // namespace embd::bpe
