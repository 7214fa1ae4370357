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

/// A token that is cut out of the raw text wherever its text stands there, also inside words.
struct AddedToken {
  std::string_view text;
  std::int32_t id;
  /// Whether white space before it is swallowed.
  bool lstrip = false;
};

/// Finds added tokens in raw text. Immutable.
class AddedTokens {
 public:
  /// Copies what it needs. Errors: bad_value for a token whose text is empty, has more than 255
  /// bytes or a byte 0; duplicate_token; out_of_memory.
  static Result<AddedTokens> create(std::span<const AddedToken> tokens);

  struct Found {
    std::size_t begin;       ///< of the token and the white space that it swallows
    std::size_t text_begin;  ///< of the token's own text
    std::size_t end;
    std::int32_t id;
  };
  /// Returns the leftmost added token at or after `from`; of several at one place, the longest.
  /// Takes time that is linear in what it passes, times the longest token.
  std::optional<Found> find(std::string_view text, std::size_t from) const noexcept;

 private:
  struct Entry {
    std::int32_t id;
    bool lstrip;
  };
  DoubleArray trie() const noexcept { return DoubleArray(std::as_bytes(std::span(units_))); }

  std::vector<std::uint32_t> units_;
  std::vector<Entry> entries_;          ///< in the order of the trie's numbers
  std::array<bool, 256> begins_one_{};  ///< bytes at the front of a token
};

}  // namespace embd::unigram
