#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

/// An entry of the metadata. Refers to the file.
struct MetadataEntry {
  std::string_view key;
  std::string_view value;
  std::uint64_t value_at = 0;  ///< The place of the value in the file.

  bool operator==(const MetadataEntry&) const = default;
};

/// Reads the entries of the metadata section, in the order of the file. Checks that keys are
/// distinct and that texts are UTF-8.
Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section);

}  // namespace embd
