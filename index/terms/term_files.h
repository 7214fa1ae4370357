#pragma once

#include <filesystem>

#include "embd/error.h"
#include "index/terms/term_index_impl.h"

// The files of a term index: docs/formats/terms.md.
namespace embd::term_files {

/// Fails if `folder` must not be replaced by a term index, because it has other files.
Result<void> check_replaceable(const std::filesystem::path& folder);

/// Maps the files of an index and checks their structure.
Result<std::unique_ptr<TermIndex::Impl>> open(const std::filesystem::path& folder);

/// Writes the files of an index into a folder, which appears when it is complete.
Result<void> write(const TermIndex::Impl& index, const std::filesystem::path& folder);

}  // namespace embd::term_files
