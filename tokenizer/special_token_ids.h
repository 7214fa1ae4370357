#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tokenizer/tokenizer_kind.h"

namespace embd {

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

}  // namespace embd
