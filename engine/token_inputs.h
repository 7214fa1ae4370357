#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embd/model.h"
#include "engine/input.h"

namespace embd {

/// Checks that a model with so many tokens has these. `number`: of the text, for the message.
/// Errors: invalid_argument, also for a text without tokens.
Result<void> check_ids(std::span<const std::int32_t> ids, std::uint32_t vocab_size,
                       std::uint64_t number);

/// Returns the same texts as inputs, all of them checked.
Result<std::vector<TokenSpan>> token_inputs(std::span<const std::span<const std::int32_t>> texts,
                                            std::uint32_t vocab_size);

/// A caller's stream of token ids, each text of which is checked.
class CheckedTokenIds final : public TokenIdSource {
 public:
  CheckedTokenIds(TokenIdSource& source, std::uint32_t vocab_size)
      : source_(source), vocab_size_(vocab_size) {}

  Result<bool> next(std::vector<std::int32_t>& ids) override;

 private:
  TokenIdSource& source_;
  const std::uint32_t vocab_size_;
  std::uint64_t num_texts_ = 0;
};

}  // namespace embd
