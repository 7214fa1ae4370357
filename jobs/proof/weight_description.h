#pragma once

#include <string>

#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// Header fields, metadata and tensors of a weight file as a JSON object.
std::string describe_weights(const WeightFile& file);

}  // namespace embd
