#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

/// One metadata entry. A view into the file.
struct MetadataEntry {
  std::string_view key;
  std::string_view value;
  std::uint64_t value_at = 0;  ///< absolute offset of the value

  bool operator==(const MetadataEntry&) const = default;
};

/// The entries of the metadata section, in the file's order; keys are distinct, texts are UTF-8.
Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section);

}  // namespace embd
