#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embd/model.h"
#include "engine/input.h"

namespace embd {

/// Fails with invalid_argument for ids outside a vocabulary of `vocab_size` tokens and for a text
/// without tokens. `number` is the number of the text, for the message.
Result<void> check_ids(std::span<const std::int32_t> ids, std::uint32_t vocab_size,
                       std::uint64_t number);

/// Checks the ids of all texts and returns the texts as inputs.
Result<std::vector<TokenSpan>> token_inputs(std::span<const std::span<const std::int32_t>> texts,
                                            std::uint32_t vocab_size);

/// A stream of token ids from the caller that checks the ids of each text.
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
