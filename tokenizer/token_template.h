#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embd/enum_names.h"
#include "tokenizer/special_token_ids.h"
#include "tokenizer/tokenizer_kind.h"

namespace embd {

/// The ways to put special tokens around a pair of texts.
enum class PairTemplate : std::uint8_t {
  bert,     ///< [CLS] first [SEP] second [SEP]; the second text has token type 1
  roberta,  ///< <s> first </s></s> second </s>; all tokens have type 0
  none,     ///< Texts have no special tokens around them.
  behind,   ///< first </s> second </s>; all tokens have type 0
};

inline constexpr EnumNames<PairTemplate, 4> pair_template_names = {
    {{"bert", PairTemplate::bert},
     {"roberta", PairTemplate::roberta},
     {"none", PairTemplate::none},
     {"behind", PairTemplate::behind}}};

/// Returns the template that nearly all models with this kind of tokenizer have.
constexpr PairTemplate usual_pair_template(TokenizerKind kind) noexcept {
  return kind == TokenizerKind::wordpiece ? PairTemplate::bert : PairTemplate::roberta;
}

/// The special tokens that a tokenizer puts around the texts that a model reads:
///
///     a text   before text after
///     a pair   before first between second after
///
/// The token type is 0, except for the second text of a pair and the tokens after it. Only this
/// structure knows how many special tokens there are.
struct TokenTemplate {
  std::vector<std::int32_t> before;
  std::vector<std::int32_t> between;
  std::vector<std::int32_t> after;
  /// The token type of the second text of a pair, and of the tokens in `after` behind it.
  std::uint8_t second_type = 0;

  std::size_t num_special() const noexcept { return before.size() + after.size(); }
  std::size_t num_special_of_pair() const noexcept { return num_special() + between.size(); }
  /// Returns true if the ids begin and end with the special tokens around a text.
  bool surrounds(std::span<const std::int32_t> ids) const noexcept;
  /// Returns the smallest length that leaves room for one token of a text.
  std::size_t least_length() const noexcept { return num_special() + 1; }
  /// Returns the smallest length that leaves room for one token of each text of a pair.
  std::size_t least_length_of_pair() const noexcept { return num_special_of_pair() + 2; }
};

/// Returns a template with these ids. For a model without token types, all tokens have type 0.
TokenTemplate token_template(PairTemplate pair, const SpecialTokenIds& special,
                             bool has_types = true);

}  // namespace embd
