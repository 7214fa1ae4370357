#pragma once

#include <span>
#include <string_view>

#include "embd/model.h"

namespace embd::python {

/// Whether encoding the texts, or tokenizing them, is a matter of milliseconds at most. Guessed
/// from the most tokens that texts, prompt and special tokens can be, and from the size of the
/// model.
bool is_short(const Model& model, std::span<const std::string_view> texts,
              const EncodeOptions& options);

}  // namespace embd::python
