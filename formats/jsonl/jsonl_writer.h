#pragma once

#include "base/output_file.h"
#include "embd/vectors.h"

namespace embd::jsonl {

/// Streams, a line a row, into `file`. `append` refuses rows with a value that JSON has no word
/// for: bad_value.
std::unique_ptr<VectorWriter> make_jsonl_writer(OutputFile file, std::uint64_t dim);

Result<std::unique_ptr<VectorWriter>> create_jsonl(const std::filesystem::path& path,
                                                   std::uint64_t dim, const WriteOptions& options);

}  // namespace embd::jsonl
