#pragma once

#include "base/output_file.h"
#include "base/spill_file.h"
#include "embd/vectors.h"

namespace embd::finalfusion {

/// Appends the chunk of quantized rows to `file`: learns a quantizer, as `options` say, from a
/// sample of `rows` [num_rows, dim] of float32, and encodes them all. Returns what that lost.
/// Errors: those of the files.
Result<QuantizationLoss> write_quantized_array(SpillFile& rows, std::uint64_t num_rows,
                                               std::uint64_t dim, const FinalfusionOptions& options,
                                               OutputFile& file);

}  // namespace embd::finalfusion
