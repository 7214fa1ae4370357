#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/try.h"
#include "faces/python/native/bindings.h"

namespace embd::python {

/// The time between two checks, during a long call, for signals and for a request to stop.
constexpr std::chrono::milliseconds between_looks{50};

/// Runs Python's handlers of signals that have arrived, and throws the exception of a handler, such
/// as KeyboardInterrupt. Call it with the GIL held, before Python objects are made of a result,
/// because Python code that runs while a signal is pending may raise another exception instead.
void check_signals();

/// Calls `work` on a new thread without the GIL, and checks for signals every 50 ms. If the handler
/// of a signal raises an exception, `work` is asked to stop, and after it has returned the
/// exception is thrown. `tick` is called before each check, with the GIL held; it may be empty.
void call_interruptibly(const std::function<void(std::stop_token)>& work,
                        const std::function<void()>& tick);

/// Calls work(stop) with call_interruptibly() and returns the value of its Result. Raises its
/// error.
template <class Work>
auto run_long(Work&& work, const std::function<void()>& tick = {}) {
  std::optional<decltype(work(std::stop_token()))> result;
  call_interruptibly(
      [&](std::stop_token stop) { result.emplace(guarded([&] { return work(std::move(stop)); })); },
      tick);
  check_signals();
  return value_of(std::move(*result));
}

/// Calls work() on the calling thread without the GIL and returns the value of its Result. Raises
/// its error. For work that takes some milliseconds, because it cannot be interrupted.
template <class Work>
auto run_short(Work&& work) {
  std::optional<decltype(work())> result;
  {
    const nanobind::gil_scoped_release released;
    result.emplace(guarded([&] { return work(); }));
  }
  check_signals();
  return value_of(std::move(*result));
}

/// Calls work(stop) with run_short() if `is_short` is true, otherwise with run_long(). Short work
/// does not get a thread of its own, because starting the thread takes about 50 µs, and a user has
/// no time to interrupt it.
template <class Work>
auto run(bool is_short, Work&& work) {
  return is_short ? run_short([&] { return work(std::stop_token()); })
                  : run_long(std::forward<Work>(work));
}

}  // namespace embd::python
