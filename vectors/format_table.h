#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "embd/error.h"
#include "formats/vectors/format.h"
#include "vectors/set_writer.h"

namespace embd {

/// Every format of vectors that this build knows. Filled in vectors/vectors.cc.
std::span<const Format* const> all_formats() noexcept;

/// The format that a reader of this build said it reads.
const Format& format_of(const VectorSetInfo& info) noexcept;

/// The format named, or if `name` is empty the one `path`'s extension tells. Error:
/// invalid_argument for none, and for one that can only be read.
Result<const Format*> format_for_output(const std::filesystem::path& path, const std::string& name);

/// Checks that the name of a file tells no other format than its own: its readers would refuse it.
/// Error: invalid_argument.
Result<void> check_name(const std::filesystem::path& path, const Format& format);

/// The format of indexes that `path`'s extension tells. Error: invalid_argument, which names all
/// such extensions.
Result<const Format*> format_for_index(const std::filesystem::path& path);

/// The format named, or if `name` is empty the one that the content of `path` tells, or else its
/// extension. Errors: not_found, io_failed, bad_magic, invalid_argument.
Result<const Format*> format_of_input(const std::filesystem::path& path, const std::string& name);

/// A writer of `format` alone, without the files beside it. It gets the recipe without the hash of
/// the input: a file's bytes tell what its vectors are made with, not whether their texts came from
/// one file, a pipe or several parts.
Result<std::unique_ptr<VectorWriter>> create_bare(const Format& format,
                                                  const std::filesystem::path& path,
                                                  std::uint64_t dim, const WriteOptions& options);

/// Makes a writer of `format` with the files beside it. Errors: those of the format.
Result<std::unique_ptr<VectorSetWriter>> create_vector_set(const Format& format,
                                                           const std::filesystem::path& path,
                                                           std::uint64_t dim,
                                                           const WriteOptions& options);

}  // namespace embd
