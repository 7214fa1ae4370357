#pragma once

#include <memory>

#include "embd/error.h"
#include "formats/weights/embd/embd_reader.h"
#include "tokenizer/tokenizer.h"

namespace embd {

/// Makes the tokenizer of the kind that a model's spec names, over the vocabulary in its file,
/// which must outlive it. Errors: those of the kind's vocabulary.
Result<std::unique_ptr<const Tokenizer>> make_tokenizer(const WeightFile& file);

}  // namespace embd
