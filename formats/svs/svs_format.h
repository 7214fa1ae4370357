#pragma once

#include "formats/format.h"

namespace embd {

extern const Format svs_format;

}  // namespace embd
