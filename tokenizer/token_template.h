#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/special_token_ids.h"
#include "tokenizer/tokenizer_kind.h"

namespace embd {

/// The special tokens that a kind of tokenizer puts around what a model reads:
///
///     a text   before text after
///     a pair   before first between second after
///
/// with the token type 0, but for the second text and what follows it. The one place that knows how
/// many there are: nothing else counts them.
struct TokenTemplate {
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> between;
  std::vector<std::int32_t> after;
  std::uint8_t second_type = 0;  ///< of the second text of a pair and of `after` behind it

  std::size_t num_special() const noexcept { return before.size() + after.size(); }
  std::size_t num_special_of_pair() const noexcept { return num_special() + between.size(); }
  /// Returns true if ids begin and end with the special tokens around a text.
  bool surrounds(std::span<const std::int32_t> ids) const noexcept;
  /// The least length that leaves room for a token of a text.
  std::size_t least_length() const noexcept { return num_special() + 1; }
};

TokenTemplate token_template(TokenizerKind kind, const SpecialTokenIds& special);

}  // namespace embd
