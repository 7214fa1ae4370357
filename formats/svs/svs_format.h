#pragma once

#include "formats/format.h"

namespace embd::svs {

extern const Format format;

}  // namespace embd::svs
