#pragma once

#include <string_view>

#include "base/os/file_descriptor.h"

// Standard input, standard output and standard error.
namespace embd::os {

/// Returns standard input, read from its current position.
Outcome<FileDescriptor> standard_input() noexcept;
/// Returns standard output, written from its current position.
Outcome<FileDescriptor> standard_output() noexcept;

bool is_output_terminal() noexcept;
bool is_error_terminal() noexcept;

/// Writes to standard error. May be called in a signal handler.
void print_error(std::string_view text) noexcept;

/// Opens /dev/null for each standard stream that the process was started without, in the direction
/// that makes using it fail. Otherwise a file that the program opens could be mistaken for a
/// standard stream.
void occupy_closed_standard_streams() noexcept;

}  // namespace embd::os
