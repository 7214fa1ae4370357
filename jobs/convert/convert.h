#pragma once

#include "embd/convert.h"
#include "embd/digest.h"

namespace embd {

/// convert_vectors(), of rows whose digest is known.
Result<ConvertReport> convert_with_digest(const std::vector<std::filesystem::path>& inputs,
                                          const std::filesystem::path& output,
                                          const ConvertOptions& options, const Digest& digest,
                                          const std::stop_token& stop);

}  // namespace embd
