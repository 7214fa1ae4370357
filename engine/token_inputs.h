#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "embd/model.h"
#include "engine/input.h"
#include "formats/weights/model_spec.h"

namespace embd {

/// Fails with invalid_argument for ids outside the vocabulary and, unless texts of the model may
/// have no tokens, for a text without tokens. `number` is the number of the text, for the message.
Result<void> check_ids(std::span<const std::int32_t> ids, const ModelSpec& spec,
                       std::uint64_t number);

/// Checks the ids of all texts and returns the texts as inputs.
Result<std::vector<TokenSpan>> token_inputs(std::span<const std::span<const std::int32_t>> texts,
                                            const ModelSpec& spec);

/// A stream of token ids from the caller that checks the ids of each text.
class CheckedTokenIds final : public TokenIdSource {
 public:
  /// Both arguments must outlive this object.
  CheckedTokenIds(TokenIdSource& source, const ModelSpec& spec) : source_(source), spec_(spec) {}

  Result<bool> next(std::vector<std::int32_t>& ids) override;

 private:
  TokenIdSource& source_;
  const ModelSpec& spec_;
  std::uint64_t num_texts_ = 0;
};

}  // namespace embd
