#include "tokenizer/special_tokens.h"

#include <algorithm>

namespace embd {

bool TokenTemplate::surrounds(std::span<const std::int32_t> ids) const noexcept {
  return ids.size() >= num_special() && std::ranges::equal(ids.first(before.size()), before) &&
         std::ranges::equal(ids.last(after.size()), after);
}

TokenTemplate token_template(PairTemplate pair, const SpecialTokenIds& special, bool has_types) {
  if (pair == PairTemplate::none) return {};
  if (pair == PairTemplate::behind)
    return {.before = {}, .between = {special.sep}, .after = {special.sep}};
  const bool is_bert = pair == PairTemplate::bert;
  return {.before = {special.cls},
          .between = std::vector<std::int32_t>(is_bert ? 1 : 2, special.sep),
          .after = {special.sep},
          .second_type = static_cast<std::uint8_t>(is_bert && has_types ? 1 : 0)};
}

}  // namespace embd
