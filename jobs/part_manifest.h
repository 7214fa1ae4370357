#pragma once

#include "embd/parts.h"

namespace embd {

/// Writes OUT.part.json beside `vectors`.
Result<void> write_part_manifest(const PartManifest& manifest,
                                 const std::filesystem::path& vectors);

/// Before the vectors of a part are put in place: removes the manifest of an earlier try, so that
/// none stands beside other vectors. Error: invalid_argument if the manifest is of another of as
/// many parts, whose vectors would be lost.
Result<void> remove_part_manifest(InputPart part, const std::filesystem::path& vectors);

}  // namespace embd
