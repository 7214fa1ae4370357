#pragma once

#include "formats/vectors/format.h"

namespace embd::jsonl {

/// The format JSON Lines: one row per line, {"id":…,"embedding":[…]}. Each number is the shortest
/// decimal that reads back to the same float32. Ids are in the file; rows without ids have their
/// row numbers. The recipe is not in the file.
///
/// The reader maps the file and finds its lines. The first line gives the dimension, which is 0 for
/// a file without lines. A line is parsed when its row is read; verify() checks all lines. It needs
/// 8 bytes of memory per row. The writer streams. It fails with bad_value for NaN and infinite
/// values, which JSON cannot express.
extern const Format format;

}  // namespace embd::jsonl
