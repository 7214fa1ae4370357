#pragma once

#include <memory>

#include "base/output_file.h"
#include "embd/vectors.h"

namespace embd::jsonl {

/// Makes a writer of rows, with the columns that `options` names, to a file or a stream. Fails with
/// invalid_argument or unsupported if a line cannot have such columns.
Result<std::unique_ptr<VectorWriter>> make_jsonl_writer(OutputFile file, std::uint64_t dim,
                                                        const WriteOptions& options);

}  // namespace embd::jsonl
