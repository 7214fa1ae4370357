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

// The one place that names the keys of an EMBD file's metadata (docs/formats/embd.md): a table of
// them, which is read in both directions. The test weight_names fails where another source spells a
// key.
namespace embd {

/// Reads a model's spec from the entries of its file. `section_at` is the metadata section's
/// offset, named for a missing key; other errors name the value's. Errors: metadata_key_missing,
/// metadata_number, metadata_value, metadata_contradiction (numbers that contradict each other).
Result<ModelSpec> read_spec(std::span<const MetadataEntry> entries, std::uint64_t section_at);

/// Returns the entries that say `spec`, in the order in which files have them. read_spec() makes
/// the same spec of them.
std::vector<std::pair<std::string, std::string>> metadata_of(const ModelSpec& spec);

/// The key that says a number of the spec.
std::string_view key_of(SpecNumber number) noexcept;

}  // namespace embd
