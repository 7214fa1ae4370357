#pragma once

namespace embd::cli {

/// Installs a handler for mapped files that become shorter, or whose disk fails, while they are
/// read. The handler prints a message that names the file, and ends the program with exit code 6.
/// Unfinished outputs stay under their temporary names, because a signal handler cannot safely
/// remove them.
void report_lost_files() noexcept;

}  // namespace embd::cli
