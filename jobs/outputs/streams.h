#pragma once

#include <filesystem>
#include <string>

#include "base/output_file.h"

// Streams are outputs other than regular files: standard output, pipes and devices. They are
// written directly, not under a temporary name, and have no files beside them.
namespace embd {

/// Returns true for "-", and for a device that leads to the standard output that the program was
/// started with.
bool is_standard_output(const std::filesystem::path& path);
/// Returns true for standard output and everything else that is written in place: a named or
/// anonymous pipe, a device, or a file that another program opened for this one (/dev/fd/3).
bool is_stream(const std::filesystem::path& path);
/// Returns true if the path is standard output and that is a terminal.
bool is_terminal(const std::filesystem::path& path);
/// Returns "standard output", or the path.
std::string stream_name(const std::filesystem::path& path);
Result<OutputFile> open_stream(const std::filesystem::path& path);

}  // namespace embd
