#pragma once

#include <nanobind/nanobind.h>

#include "embd/vectors.h"

namespace embd::python {

/// What write_vectors() and embed_file() take by name; the defaults are those of the library.
/// Raises: TypeError for another name.
WriteOptions write_options(const nanobind::dict& given);

}  // namespace embd::python
