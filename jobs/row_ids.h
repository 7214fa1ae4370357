#pragma once

#include "embd/vectors.h"

namespace embd {

/// Row numbers from 0 stand for ids that are not there; every id as a string.
std::vector<std::string> id_strings(const Ids& ids, std::uint64_t num_rows);

}  // namespace embd
