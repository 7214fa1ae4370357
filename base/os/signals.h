#pragma once

#include <string_view>

namespace embd::os {

/// Makes a closed pipe, and a file that may not grow, errors of write(), which leave no half file;
/// they would end the process.
void ignore_write_signals() noexcept;

/// Has `handle` called, with the path of the file, where a mapped file became shorter (or its disk
/// failed) while it was read; the path is empty where it is not known. `handle` ends the process
/// (end_process()) and calls only what is safe in a handler of a signal, such as print_error().
using LostFileHandler = void (*)(std::string_view path) noexcept;
void on_lost_file(LostFileHandler handle) noexcept;

/// Ends the process at once: nothing is destroyed or flushed.
[[noreturn]] void end_process(int exit_code) noexcept;

}  // namespace embd::os
