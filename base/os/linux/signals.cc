#include "base/os/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>
#include <system_error>

namespace embd::os {
namespace {

LostFileHandler handle_lost_file = nullptr;

// From here on, only functions that POSIX calls safe in a signal handler may be used.

/// Returns the path in a line such as "7f00-7f10 r--s 00000000 fe:00 12 /path" if the range of the
/// line contains `address`; otherwise an empty string.
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

/// Returns the path of the file that is mapped at `address`. It is valid until the next call.
std::string_view path_mapped_at(std::uintptr_t address) noexcept {
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  static char line[8192];
  std::string_view path;
  std::size_t size = 0;
  char c = 0;
  while (path.empty() && ::read(fd, &c, 1) == 1) {
    if (c != '\n') {
      if (size < sizeof(line)) line[size++] = c;
      continue;
    }
    path = path_if_inside({line, size}, address);
    size = 0;
  }
  ::close(fd);
  return path;
}

void handle_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code <= 0) {  // Sent by a process, not by a page that is not there.
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  handle_lost_file(path_mapped_at(reinterpret_cast<std::uintptr_t>(info->si_addr)));
}

}  // namespace

void ignore_write_signals() noexcept {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void on_lost_file(LostFileHandler handle) noexcept {
  handle_lost_file = handle;
  struct sigaction action = {};
  action.sa_sigaction = handle_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

void end_process(int exit_code) noexcept {
  ::_exit(exit_code);
}

namespace {

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // A signal that is blocked and watched is no longer ignored.
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);
  // Sent by ~Interrupt to its own watcher.
  sigaddset(&signals, SIGUSR1);
  return signals;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    watcher_ = std::jthread([this, signals](const std::stop_token& end) {
      int signal = 0;
      while (!end.stop_requested() && sigwait(&signals, &signal) == 0)
        if (signal != SIGUSR1) source_.request_stop();
    });
  } catch (const std::system_error&) {  // No thread to be had: the signals end the process.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

Interrupt::~Interrupt() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  pthread_kill(watcher_.native_handle(), SIGUSR1);
  watcher_.join();
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace embd::os
