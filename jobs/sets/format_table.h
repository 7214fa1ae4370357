#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "embd/error.h"
#include "formats/vectors/format.h"
#include "jobs/sets/set_files.h"

namespace embd {

/// Returns all formats of vectors that this build knows. The list is in jobs/sets/vectors.cc.
std::span<const Format* const> all_formats() noexcept;

/// Returns the format of a file that a reader of this build described.
const Format& format_of(const VectorSetInfo& info) noexcept;

/// Returns the format with this name or, if `name` is empty, the format of the path's extension.
/// Fails with invalid_argument for an unknown format, and for a format that can only be read.
Result<const Format*> format_for_output(const std::filesystem::path& path, const std::string& name);

/// Fails with invalid_argument if a file's name stands for another format than its own, because
/// readers would refuse it.
Result<void> check_name(const std::filesystem::path& path, const Format& format);

/// Returns the format of indexes that the path's extension stands for. Fails with invalid_argument,
/// naming all such extensions.
Result<const Format*> format_for_index(const std::filesystem::path& path);

/// Returns the format with this name or, if `name` is empty, the format that the content of `path`
/// or else its extension reveals. Fails with not_found, io_failed, bad_magic or invalid_argument.
Result<const Format*> format_of_input(const std::filesystem::path& path, const std::string& name);

/// Makes a writer of the vectors alone, without files beside them. It gets the recipe without the
/// hash of the input, because the bytes of the file must not depend on whether the texts came from
/// one file, a pipe or several parts.
Result<std::unique_ptr<VectorWriter>> create_bare(const Format& format,
                                                  const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);

/// Makes a writer of the vectors and the files beside them. Fails with the errors of the format.
Result<std::unique_ptr<VectorSetWriter>> create_vector_set(const Format& format,
                                                           const std::filesystem::path& path,
                                                           std::uint64_t dim,
                                                           const WriteOptions& options);

}  // namespace embd
