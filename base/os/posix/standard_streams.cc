#include "base/os/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace embd::os {

Outcome<FileDescriptor> standard_input() noexcept {
  return FileDescriptor::duplicate(STDIN_FILENO);
}

Outcome<FileDescriptor> standard_output() noexcept {
  return FileDescriptor::duplicate(STDOUT_FILENO);
}

bool is_output_terminal() noexcept {
  return ::isatty(STDOUT_FILENO) == 1;
}

bool is_error_terminal() noexcept {
  return ::isatty(STDERR_FILENO) == 1;
}

void print_error(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

void occupy_closed_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one.
    ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace embd::os
