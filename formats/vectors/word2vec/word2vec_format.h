#pragma once

#include <span>

#include "formats/vectors/format.h"

namespace embd::word2vec {

/// word2vec (binary), textdims (text with its shape in front), text (without), fasttext (model
/// files, read only).
extern const Format formats[4];

}  // namespace embd::word2vec
