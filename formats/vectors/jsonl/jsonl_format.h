#pragma once

#include "formats/vectors/format.h"

namespace embd::jsonl {

/// JSON Lines, a row a line: {"id":…,"embedding":[…]}, the numbers as the shortest decimals that
/// read back to the same float32. Ids are inside; the row number where none were given. The recipe
/// is not.
///
/// Reading maps the file and finds its lines; the first gives the dimension, which is 0 for a file
/// without lines. A line is parsed when its row is read, so verify() is what checks them all.
/// Memory: 8 bytes a row. Writing streams; a value that JSON has no word for is refused: bad_value.
extern const Format format;

}  // namespace embd::jsonl
