#pragma once

#include "embd/error.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"
#include "formats/weights/model_tensors.h"

namespace embd {

/// Computes the smoothing factors of a model from its weights and from the inputs that its layers
/// have when texts of random tokens go through them in float32. The factors depend on the file
/// alone, and have the same bits with all kernels (docs/arithmetic.md). Packs the weights, and runs
/// the layers, on `threads` threads, which takes about as long as to embed 90 tokens. A table has
/// no factors. Fails with the errors of Weights::load(). Throws std::bad_alloc.
Result<SmoothingFactors> smoothing_factors(const WeightFile& file, const kernels::Kernels& kernels,
                                           int threads);

/// Returns true if a matrix of the file that would be smoothed is not stored as int8.
bool has_unrounded(const WeightFile& file);

}  // namespace embd
