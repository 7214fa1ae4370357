#pragma once

#include "formats/vectors/format.h"

namespace embd::svs {

extern const Format format;

}  // namespace embd::svs
