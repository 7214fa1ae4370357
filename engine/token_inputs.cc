#include "engine/token_inputs.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/try.h"

namespace embd {

Result<void> check_ids(std::span<const std::int32_t> ids, const ModelSpec& spec,
                       std::uint64_t number) {
  if (ids.empty() && spec.token_template().num_special() > 0) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("text {} has no token ids, expected at least the special tokens around a text",
                    number));
  }
  const auto bad = std::ranges::find_if(ids, [&](std::int32_t id) {
    return id < 0 || static_cast<std::uint32_t>(id) >= spec.vocab_size;
  });
  if (bad == ids.end()) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("text {}, token {}: the token id is {}, expected 0 to {}", number,
                          bad - ids.begin(), *bad, spec.vocab_size - 1));
}

Result<std::vector<TokenSpan>> token_inputs(std::span<const std::span<const std::int32_t>> texts,
                                            const ModelSpec& spec) {
  std::vector<TokenSpan> inputs;
  inputs.reserve(texts.size());
  for (const auto& ids : texts) {
    EMBD_TRY(check_ids(ids, spec, inputs.size()));
    inputs.push_back({.ids = ids});
  }
  return inputs;
}

Result<bool> CheckedTokenIds::next(std::vector<std::int32_t>& ids) {
  if (!EMBD_TRY(source_.next(ids))) return false;
  EMBD_TRY(check_ids(ids, spec_, num_texts_++));
  return true;
}

}  // namespace embd
