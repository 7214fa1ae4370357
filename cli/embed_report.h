#pragma once

#include <string>

#include "embd/embed_file.h"

namespace embd::cli {

/// What `embed --report` writes: a JSON object.
Result<void> write_report(const std::string& path, const EmbedReport& report, const Model& model,
                          int threads);

}  // namespace embd::cli
