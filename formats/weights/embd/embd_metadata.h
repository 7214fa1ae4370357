#pragma once

#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/weights/embd/embd_config.h"
#include "formats/weights/embd/embd_parser.h"

namespace embd {

/// The entries of the metadata section, in the file's order; keys are distinct, texts are UTF-8.
Result<std::vector<MetadataEntry>> read_metadata(Bytes file, const EmbdSection& section);

}  // namespace embd
