#pragma once

#include <memory>

#include "base/output_file.h"
#include "embd/vectors.h"

namespace embd::jsonl {

/// Makes a writer of rows, with the columns that `options` names, to a file or a stream. Errors:
/// invalid_argument, unsupported for columns that no line can have.
Result<std::unique_ptr<VectorWriter>> make_jsonl_writer(OutputFile file, std::uint64_t dim,
                                                        const WriteOptions& options);

}  // namespace embd::jsonl
