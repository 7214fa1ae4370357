#pragma once

#include <string_view>

#include "base/os/file_descriptor.h"

// Standard input, standard output and standard error.
namespace embd::os {

/// Standard input, read from where it stands.
Outcome<FileDescriptor> standard_input() noexcept;
/// Standard output, written from where it stands.
Outcome<FileDescriptor> standard_output() noexcept;

bool is_output_terminal() noexcept;
bool is_error_terminal() noexcept;

/// Writes to standard error. May be called in a handler of a signal.
void print_error(std::string_view text) noexcept;

/// Opens /dev/null in the place of standard streams that the process was started without, in the
/// direction that makes their use fail: a file that the program opens must not be taken for one.
void occupy_closed_standard_streams() noexcept;

}  // namespace embd::os
