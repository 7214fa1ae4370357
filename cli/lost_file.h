#pragma once

namespace embd::cli {

/// Ends the program with exit code 6 and a message that names the file, where a mapped file became
/// shorter (or its disk failed) while it was read. Unfinished outputs stay under their temporary
/// names: nothing but the message is safe in a signal handler.
void report_lost_files() noexcept;

}  // namespace embd::cli
