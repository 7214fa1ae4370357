#include "base/os/interrupt.h"

#include <csignal>
#include <ctime>
#include <system_error>

namespace embd::os {
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
