#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embd/error.h"
#include "formats/weights/embd/embd_metadata.h"
#include "formats/weights/model_spec.h"

// The keys of an EMBD file's metadata (docs/formats/embd.md). This is the only place that names
// them: one table serves the reader and the writer. The test weight_names fails if another source
// spells a key.
namespace embd {

/// Reads the spec of a model from the entries of its file. `section_at` is the place of the
/// metadata section, for the error about a missing key; other errors name the place of the value.
/// Fails with metadata_key_missing, metadata_number, metadata_value, or metadata_contradiction if
/// numbers contradict each other.
Result<ModelSpec> read_spec(std::span<const MetadataEntry> entries, std::uint64_t section_at);

/// Returns the entries for a spec, in the order in which files have them. read_spec() reads the
/// same spec from them.
std::vector<std::pair<std::string, std::string>> metadata_of(const ModelSpec& spec);

/// Returns the first entry whose key embd does not know; nullptr if it knows all.
const MetadataEntry* find_unknown_key(std::span<const MetadataEntry> entries) noexcept;

/// Returns the least minor version of the format that knows all keys of a file.
std::uint16_t needed_minor(std::span<const std::pair<std::string, std::string>> metadata) noexcept;

/// Returns the key of a number of the spec.
std::string_view key_of(SpecNumber number) noexcept;

}  // namespace embd
