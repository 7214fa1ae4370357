#pragma once

#include "base/output_file.h"
#include "base/spill_file.h"
#include "embd/vectors.h"

namespace embd::finalfusion {

/// Appends the chunk of quantized rows to `file`. Learns a quantizer with `options` from a sample
/// of `rows`, which has float32 values of shape [num_rows, dim], and encodes all rows. Returns the
/// quantization error. Fails with the errors of reading and writing the files.
Result<QuantizationLoss> write_quantized_array(SpillFile& rows, std::uint64_t num_rows,
                                               std::uint64_t dim, const FinalfusionOptions& options,
                                               OutputFile& file);

}  // namespace embd::finalfusion
