#pragma once

#include <stop_token>
#include <thread>

namespace embd::os {

/// While it lives, SIGINT, SIGTERM and SIGHUP request a stop instead of ending the process, so that
/// unfinished outputs are removed. A SIGHUP that the process was started to ignore, as by nohup,
/// stays ignored. Made before any other thread is: threads inherit the mask.
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
