#pragma once

#include "formats/vectors/format.h"

namespace embd::numpy {

/// The format .npy of NumPy: a two-dimensional array of numbers. The reader takes versions 1 to 3,
/// both byte orders and both orders of dimensions. The writer writes version 1, little-endian, in C
/// order, as NumPy does. WriteOptions::element_type may be any plain type except bf16, which NumPy
/// does not have.
extern const Format format;

}  // namespace embd::numpy
