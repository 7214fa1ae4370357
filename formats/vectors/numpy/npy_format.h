#pragma once

#include "formats/vectors/format.h"

namespace embd::numpy {

/// NumPy's .npy: a two-dimensional array of numbers. Read: versions 1 to 3, both byte orders, both
/// orders of dimensions; written: version 1, little-endian, C order, as NumPy writes it.
/// WriteOptions.element_type: any plain type but bf16, which NumPy lacks.
extern const Format format;

}  // namespace embd::numpy
