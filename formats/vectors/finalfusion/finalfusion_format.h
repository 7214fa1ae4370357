#pragma once

#include "formats/vectors/format.h"

namespace embd::finalfusion {

/// finalfusion as a vector set: the words are the ids. Rows are those of the words as stored;
/// ReadOptions.all_rows adds the rows of subwords, with ids that say so, and
/// ReadOptions.unnormalize multiplies the norms back.
extern const Format format;

}  // namespace embd::finalfusion
