#pragma once

#include <span>
#include <string_view>

#include "embd/model.h"

namespace embd::python {

/// Returns true if encoding or tokenizing the texts takes at most about 50 ms on a slow core. This
/// is estimated from the largest possible number of tokens of the texts with prompt and special
/// tokens, and from the size of the model.
bool is_short(const Model& model, std::span<const std::string_view> texts,
              const EncodeOptions& options);

}  // namespace embd::python
