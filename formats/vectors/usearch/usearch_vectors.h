#pragma once

#include "formats/vectors/format.h"

namespace embd::usearch {

/// True if the file's bytes are a USearch index: the magic stands after the matrix of rows, so the
/// file is asked for it.
bool has_magic(const std::filesystem::path& path, Bytes head);

/// The rows of an index that are not removed, in the order of their slots; ids are their keys. A
/// file saved without its rows is refused.
Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options);

}  // namespace embd::usearch
