#pragma once

#include <filesystem>
#include <string>

#include "base/output_file.h"

// Outputs that are no file with a name of its own: standard output, pipes, devices. They are
// written directly and have no files beside them.
namespace embd {

/// "-", or a device that leads to whatever the program was started with.
bool is_standard_output(const std::filesystem::path& path);
/// Standard output, and everything else that is written to as it stands: a named or anonymous pipe,
/// a device, a file that somebody else opened for us (/dev/fd/3).
bool is_stream(const std::filesystem::path& path);
bool is_terminal(const std::filesystem::path& path);
/// "standard output", or the path.
std::string stream_name(const std::filesystem::path& path);
Result<OutputFile> open_stream(const std::filesystem::path& path);

}  // namespace embd
