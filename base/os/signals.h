#pragma once

#include <stop_token>
#include <string_view>
#include <thread>

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
