#pragma once

#include <stop_token>
#include <thread>

namespace embd::os {

/// An object that makes SIGINT, SIGTERM and SIGHUP request a stop, as long as it exists, instead of
/// ending the process, so that unfinished outputs are removed. A SIGHUP that was ignored when the
/// process started, for instance by nohup, stays ignored. The object must be created before any
/// other thread, because threads inherit the signal mask.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const noexcept { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace embd::os
