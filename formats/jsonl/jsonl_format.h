#pragma once

#include "formats/format.h"

namespace embd::jsonl {

/// JSON Lines, a row a line: {"id":…,"embedding":[…]}, the numbers as the shortest decimals that
/// read back to the same float32. Ids are inside; the row number where none were given. The recipe
/// is not.
extern const Format format;

}  // namespace embd::jsonl
