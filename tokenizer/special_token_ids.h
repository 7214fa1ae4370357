#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tokenizer/tokenizer_kind.h"

namespace embd {

/// Ids of the five tokens with a meaning of their own; all of them in the vocabulary.
struct SpecialTokenIds {
  std::int32_t pad = 0;
  std::int32_t unk = 100;
  std::int32_t cls = 101;
  std::int32_t sep = 102;
  std::int32_t mask = 103;

  /// In the order in which files have them.
  std::array<std::int32_t, 5> ids() const noexcept { return {pad, unk, cls, sep, mask}; }
  bool operator==(const SpecialTokenIds&) const = default;
};

/// The names of these five tokens, in the same order, where a model does not say otherwise.
constexpr std::array<std::string_view, 5> special_token_names(TokenizerKind kind) noexcept {
  switch (kind) {
    case TokenizerKind::unigram:
      return {"<pad>", "<unk>", "<s>", "</s>", "<mask>"};
    case TokenizerKind::wordpiece:
      break;
  }
  return {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
}

}  // namespace embd
