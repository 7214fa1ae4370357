#pragma once

#include "embd/parts.h"

namespace embd {

/// Writes OUT.part.json beside `vectors`.
Result<void> write_part_manifest(const PartManifest& manifest,
                                 const std::filesystem::path& vectors);

/// Error: invalid_argument if the manifest beside `vectors` is of another of as many parts, whose
/// vectors would be lost.
Result<void> check_part_manifest(InputPart part, const std::filesystem::path& vectors);
/// Before the vectors of a part get their names: removes the manifest of an earlier try, so that
/// none stands beside other vectors.
Result<void> remove_part_manifest(const std::filesystem::path& vectors);

/// How the vectors of a part are read: where columns stand beside them, they are the widest.
inline const ReadOptions read_whole_part = {.any_column = true};

}  // namespace embd
