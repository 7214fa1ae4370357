#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// The function that makes a cross-encoder's scores of its logits.
enum class ScoreActivation : std::uint8_t {
  identity,  ///< a score is its logit, any number
  sigmoid    ///< 1 / (1 + exp(-logit)), from 0 to 1
};
/// The words that files, options and answers have for them.
inline constexpr EnumNames<ScoreActivation, 2> score_activation_names = {
    {{"identity", ScoreActivation::identity}, {"sigmoid", ScoreActivation::sigmoid}}};

}  // namespace embd
