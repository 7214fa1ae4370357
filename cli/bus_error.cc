#include "cli/bus_error.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "cli/exit_code.h"

namespace embd::cli {
namespace {

// Only functions that POSIX calls safe in a signal handler from here on.

void print(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

/// "7f00-7f10 r--s 00000000 fe:00 12 /path": the path, if the line's range holds `address`.
std::string_view path_if_inside(std::string_view line, std::uintptr_t address) noexcept {
  std::uintptr_t bounds[2] = {0, 0};
  std::size_t at = 0;
  for (std::uintptr_t& bound : bounds) {
    for (; at < line.size() && line[at] != '-' && line[at] != ' '; ++at)
      bound = bound * 16 +
              static_cast<std::uintptr_t>(line[at] <= '9' ? line[at] - '0' : line[at] - 'a' + 10);
    ++at;
  }
  if (address < bounds[0] || address >= bounds[1]) return {};
  const std::size_t path = line.find('/');
  return path == std::string_view::npos ? std::string_view() : line.substr(path);
}

/// Prints the path of the file that is mapped at `address`.
void print_path(std::uintptr_t address) noexcept {
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  static char line[8192];
  std::size_t size = 0;
  char c = 0;
  while (::read(fd, &c, 1) == 1) {
    if (c != '\n') {
      if (size < sizeof(line)) line[size++] = c;
      continue;
    }
    const std::string_view path = path_if_inside({line, size}, address);
    size = 0;
    if (path.empty()) continue;
    print(path);
    print(": ");
    break;
  }
  ::close(fd);
}

void handle(int signal, siginfo_t* info, void*) {
  if (info->si_code <= 0) {  // Sent by a process, not by a page that is not there.
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  print("embd: ");
  print_path(reinterpret_cast<std::uintptr_t>(info->si_addr));
  print(
      "input or output failed: became shorter, or could not be read, while it was in use: try "
      "again\n");
  ::_exit(static_cast<int>(ExitCode::io_failed));
}

}  // namespace

void report_bus_errors() noexcept {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace embd::cli
