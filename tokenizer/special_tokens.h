#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "embd/enum_names.h"

namespace embd {

/// The kind of a tokenizer. Each kind has a folder of its own, with a class derived from Tokenizer.
enum class TokenizerKind : std::uint8_t { wordpiece, unigram, bpe };

/// The ids of the five special tokens, all of which are in the vocabulary.
struct SpecialTokenIds {
  std::int32_t pad = 0;
  std::int32_t unk = 100;
  std::int32_t cls = 101;
  std::int32_t sep = 102;
  std::int32_t mask = 103;

  /// Returns the ids in the order in which files list them.
  std::array<std::int32_t, 5> ids() const noexcept { return {pad, unk, cls, sep, mask}; }
  bool operator==(const SpecialTokenIds&) const = default;
};

/// Returns the usual names of the special tokens, in the order of ids(). A model may have other
/// names.
constexpr std::array<std::string_view, 5> special_token_names(TokenizerKind kind) noexcept {
  switch (kind) {
    case TokenizerKind::unigram:
    case TokenizerKind::bpe:
      return {"<pad>", "<unk>", "<s>", "</s>", "<mask>"};
    case TokenizerKind::wordpiece:
      break;
  }
  return {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
}

/// A token that a text may contain literally. It is cut out of the text before the text is split
/// into words.
struct AddedToken {
  std::int32_t id = 0;
  /// True if it is looked for in the normalized text, so that <UNK> may be found as <unk>.
  bool normalized = false;
  bool lstrip = false;       ///< True if white space before the token becomes part of it.
  bool rstrip = false;       ///< True if white space behind the token becomes part of it.
  bool single_word = false;  ///< True if it is not found next to letters, digits and marks.
  /// True if it is no text, so that it is left out of a text that is made of tokens.
  bool special = true;
  /// True if it is outside the vocabulary of the model, which never cuts words into it.
  bool only_added = false;

  bool operator==(const AddedToken&) const = default;
};

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
