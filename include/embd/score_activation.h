#pragma once

#include <cstdint>

#include "embd/enum_names.h"

namespace embd {

/// The function that turns the logits of a cross-encoder into scores.
enum class ScoreActivation : std::uint8_t {
  identity,  ///< the score is the logit, any number
  sigmoid    ///< 1 / (1 + exp(-logit)), from 0 to 1
};
/// The words for the activations in files and options.
inline constexpr EnumNames<ScoreActivation, 2> score_activation_names = {
    {{"identity", ScoreActivation::identity}, {"sigmoid", ScoreActivation::sigmoid}}};

}  // namespace embd
