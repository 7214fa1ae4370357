#pragma once

#include "embd/vectors.h"

namespace embd::jsonl {

/// Maps the file and finds its lines; the first line gives the dimension, which is 0 for a file
/// without lines. A line is parsed when its
/// row is read, so verify() is what checks them all. Memory: 8 bytes a row.
///
/// A line is an object with a member "embedding", an array of numbers, and none, or in every line,
/// "id", a string or a whole number; other members are passed over. Errors: bad_json, missing,
/// bad_type, bad_value, bad_count, each with its line.
Result<std::unique_ptr<VectorReader>> open_jsonl(const std::filesystem::path& path,
                                                 const ReadOptions& options);

}  // namespace embd::jsonl
