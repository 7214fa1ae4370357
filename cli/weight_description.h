#pragma once

#include <string>

#include "formats/embd/embd_reader.h"

namespace embd::cli {

/// Header fields, metadata and tensors of a weight file: one JSON object, or a line each.
std::string describe_weights(const WeightFile& file, bool json);

}  // namespace embd::cli
