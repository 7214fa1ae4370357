#include "tokenizer/token_template.h"

#include <algorithm>

namespace embd {

bool TokenTemplate::surrounds(std::span<const std::int32_t> ids) const noexcept {
  return ids.size() >= num_special() && std::ranges::equal(ids.first(before.size()), before) &&
         std::ranges::equal(ids.last(after.size()), after);
}

TokenTemplate token_template(TokenizerKind kind, const SpecialTokenIds& special) {
  switch (kind) {
    case TokenizerKind::unigram:
      return {
          .before = {special.cls}, .between = {special.sep, special.sep}, .after = {special.sep}};
    case TokenizerKind::wordpiece:
      break;
  }
  return {
      .before = {special.cls}, .between = {special.sep}, .after = {special.sep}, .second_type = 1};
}

}  // namespace embd
