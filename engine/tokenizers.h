#pragma once

#include <memory>

#include "embd/error.h"
#include "formats/weights/embd/embd_reader.h"
#include "tokenizer/tokenizer.h"

namespace embd {

/// Makes the tokenizer of a model, of the kind that its spec names, over the vocabulary in its
/// file, which must outlive the tokenizer. Fails with the errors of the vocabulary.
Result<std::unique_ptr<const Tokenizer>> make_tokenizer(const WeightFile& file);

}  // namespace embd
