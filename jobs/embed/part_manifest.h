#pragma once

#include "embd/parts.h"

namespace embd {

/// Writes the manifest OUT.part.json beside `vectors`.
Result<void> write_part_manifest(const PartManifest& manifest,
                                 const std::filesystem::path& vectors);

/// Fails with invalid_argument if the manifest beside `vectors` belongs to another part of the same
/// number of parts, whose vectors would be lost.
Result<void> check_part_manifest(InputPart part, const std::filesystem::path& vectors);
/// Removes the manifest of an earlier try. To be called before the vectors of a part get their
/// names, so that no manifest is beside other vectors.
Result<void> remove_part_manifest(const std::filesystem::path& vectors);

/// The way in which the vectors of a part are read. If there are columns beside them, the vectors
/// are the widest column.
inline const ReadOptions read_whole_part = {.any_column = true};

}  // namespace embd
