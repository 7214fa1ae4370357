#pragma once

#include "formats/vectors/format.h"

namespace embd::usearch {

/// Returns true if the file is a USearch index. The magic stands after the matrix of rows, so the
/// file itself is read, not only its first bytes.
bool has_magic(const std::filesystem::path& path, Bytes head);

/// Opens an index as a vector set: its rows without the removed ones, in the order of their slots.
/// The ids are the keys. Fails if the file was saved without its rows.
Result<std::unique_ptr<VectorReader>> open(const std::filesystem::path& path,
                                           const ReadOptions& options);

}  // namespace embd::usearch
