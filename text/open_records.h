#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>

#include "embd/texts.h"

namespace embd {

/// Returns the format that a file's extension tells; txt where it tells none.
InputFormat input_format_of(const std::filesystem::path& path);

/// open_records() of a path that is no folder.
Result<std::unique_ptr<RecordReader>> open_file(const std::filesystem::path& path,
                                                const InputOptions& options, std::stop_token stop);

/// open_records() of embd/texts.h, whose reader does not wait for a pipe or a terminal any longer
/// when `stop` asks for it. Error then, of opening and of reading: cancelled.
Result<std::unique_ptr<RecordReader>> open_records(const std::filesystem::path& path,
                                                   const InputOptions& options,
                                                   std::stop_token stop);
Result<std::unique_ptr<RecordReader>> open_records(std::span<const std::filesystem::path> paths,
                                                   const InputOptions& options,
                                                   std::stop_token stop);

/// The hash that the reader of these files has at its end (RecordReader::sha256()); empty for what
/// can be read only once. Errors: those of opening and reading.
Result<std::string> hash_of_inputs(std::span<const std::filesystem::path> files);

}  // namespace embd
