#pragma once

#include "formats/vectors/format.h"

namespace embd::finalfusion {

/// The format finalfusion: the ids are words, and the rows are the words' vectors as stored.
/// ReadOptions::all_rows adds the rows of subwords; their ids say what they are.
/// ReadOptions::unnormalize multiplies each row by its norm.
extern const Format format;

}  // namespace embd::finalfusion
