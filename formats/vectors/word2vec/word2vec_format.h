#pragma once

#include <span>

#include "formats/vectors/format.h"

namespace embd::word2vec {

/// The formats word2vec (binary), textdims (text after a line with its shape), text (without such a
/// line) and fasttext (model files, read only).
extern const Format formats[4];

}  // namespace embd::word2vec
