#pragma once

#include <string>

#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// Returns a JSON object with the header fields, the metadata and the tensors of a weight file.
std::string describe_weights(const WeightFile& file, bool lists_tensors);

}  // namespace embd
