#include "formats/weights/model_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/weights/tensor_shape.h"
#include "tokenizer/added_tokens.h"

namespace embd {

std::uint32_t ModelSpec::least_length() const {
  const TokenTemplate tokens = token_template();
  return static_cast<std::uint32_t>(head == HeadKind::classifier ? tokens.least_length_of_pair()
                                                                 : tokens.least_length());
}

std::vector<AddedToken> ModelSpec::tokens_in_texts(const SpecialTokenIds& special) const {
  std::vector<AddedToken> tokens = with_special_tokens(special, added_tokens);
  const bool mask_strips = tokenizer == TokenizerKind::unigram && mask_lstrip;
  const auto is_mask = [&](const AddedToken& token) { return token.id == special.mask; };
  if (mask_strips && std::ranges::none_of(added_tokens, is_mask))
    std::ranges::find_if(tokens, is_mask)->lstrip = true;
  return tokens;
}

TensorShape::TensorShape(std::initializer_list<std::uint32_t> list)
    : rank(static_cast<unsigned>(std::min(list.size(), dims.size()))) {
  std::copy_n(list.begin(), rank, dims.begin());
}

std::string TensorShape::text() const {
  return fmt::format("[{}]", fmt::join(view(), ", "));
}

}  // namespace embd
