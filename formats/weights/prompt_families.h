#pragma once

#include <optional>
#include <span>
#include <string>

#include "embd/model_types.h"

namespace embd {

/// Returns a note if one of a model's names, such as "multilingual-e5-small", belongs to a family
/// whose texts begin with prompts, and none of the model's `prompts` has a text.
std::optional<ModelNote> note_missing_prompts(std::span<const std::string> names,
                                              std::span<const Prompt> prompts);

}  // namespace embd
