#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/guard.h"
#include "native/error.h"

namespace embd::python {

/// How often somebody who waits looks whether a signal came, or a stop was asked for.
constexpr std::chrono::milliseconds between_looks{50};

/// Throws what the handler of a signal raised, such as KeyboardInterrupt, if one came. Call with
/// the GIL held, before Python objects are made of a result: code of Python that runs with a signal
/// pending may raise another error instead.
void check_signals();

/// Calls `work` with the GIL released, on a thread of its own, and checks for signals every 50 ms.
/// After one that raises, `work` is asked to stop and waited for, and the exception is thrown.
/// `tick`, which may be empty, is called as often, with the GIL held.
void call_interruptibly(const std::function<void(std::stop_token)>& work,
                        const std::function<void()>& tick);

/// Returns what work(stop), a Result, returned, and can be interrupted; its error is raised.
template <class Work>
auto run_long(Work&& work, const std::function<void()>& tick = {}) {
  std::optional<decltype(work(std::stop_token()))> result;
  call_interruptibly(
      [&](std::stop_token stop) { result.emplace(guarded([&] { return work(std::move(stop)); })); },
      tick);
  check_signals();
  return value_of(std::move(*result));
}

/// Returns what work(), a Result that comes within milliseconds, returned on the calling thread
/// with the GIL released; its error is raised.
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

/// run_short() or run_long() of work(stop). A thread for the work costs about 50 µs, which is much
/// for what is short, and nobody can interrupt that.
template <class Work>
auto run(bool is_short, Work&& work) {
  return is_short ? run_short([&] { return work(std::stop_token()); })
                  : run_long(std::forward<Work>(work));
}

}  // namespace embd::python
