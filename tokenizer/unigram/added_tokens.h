#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "embd/error.h"
#include "tokenizer/unigram/double_array.h"

namespace embd::unigram {

/// A token that is cut out of the raw text wherever its text occurs, also inside words.
struct AddedToken {
  std::string_view text;
  std::int32_t id;
  /// True if white space before the token becomes part of it.
  bool lstrip = false;
};

/// Finds added tokens in raw text. Immutable.
class AddedTokens {
 public:
  /// Copies the tokens. Fails with bad_value for a token whose text is empty, has more than 255
  /// bytes or contains a byte 0; with duplicate_token; with out_of_memory.
  static Result<AddedTokens> create(std::span<const AddedToken> tokens);

  struct Found {
    /// The offset of the token, or of the white space that became part of it.
    std::size_t begin;
    std::size_t text_begin;  ///< the offset of the token's own text
    std::size_t end;
    std::int32_t id;
  };
  /// Returns the leftmost added token at or after `from`; of several at the same place, the
  /// longest. Takes time proportional to the length of the text before the token, times the length
  /// of the longest token.
  std::optional<Found> find(std::string_view text, std::size_t from) const noexcept;

 private:
  struct Entry {
    std::int32_t id;
    bool lstrip;
  };
  DoubleArray trie() const noexcept { return DoubleArray(std::as_bytes(std::span(units_))); }

  std::vector<std::uint32_t> units_;
  std::vector<Entry> entries_;          ///< [tokens], in the order of the numbers in the trie
  std::array<bool, 256> begins_one_{};  ///< true for each byte that is the first byte of a token
};

}  // namespace embd::unigram
