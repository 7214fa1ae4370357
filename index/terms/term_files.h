#pragma once

#include <filesystem>

#include "embd/error.h"

// The files of a term index: docs/formats/terms.md.
namespace embd::term_files {

/// Fails if `folder` must not be replaced by a term index, because it is not one.
Result<void> check_replaceable(const std::filesystem::path& folder);

}  // namespace embd::term_files
