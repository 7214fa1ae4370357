#pragma once

#include <string_view>

namespace embd::os {

/// Turns two signals into errors of write(): writing to a closed pipe, and exceeding the maximum
/// size of files. The signals would end the process and leave unfinished files.
void ignore_write_signals() noexcept;

/// Sets a function that is called if a mapped file became shorter, or its disk failed, while it was
/// read. It gets the path of the file, which is empty if it is unknown. It must end the process
/// (end_process()), and may only call functions that are safe in a signal handler, such as
/// print_error().
using LostFileHandler = void (*)(std::string_view path) noexcept;
void on_lost_file(LostFileHandler handle) noexcept;

/// Ends the process at once, without destroying or flushing anything.
[[noreturn]] void end_process(int exit_code) noexcept;

}  // namespace embd::os
