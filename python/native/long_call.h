#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <optional>
#include <stop_token>

#include "native/error.h"

namespace embd::python {

/// Calls `work` with the GIL released, on a thread of its own, and looks every 50 ms, with the GIL
/// held, whether Python has a signal for us: then work is asked to stop, waited for, and the
/// signal's exception (KeyboardInterrupt) thrown. `tick`, which may be empty, is called as often.
void call_interruptibly(const std::function<void(std::stop_token)>& work,
                        const std::function<void()>& tick);

/// The same for work(stop) that returns a Result; its error is raised.
template <class Work>
auto run_long(Work&& work, const std::function<void()>& tick = {}) {
  std::optional<decltype(work(std::stop_token()))> result;
  call_interruptibly([&](std::stop_token stop) { result.emplace(work(std::move(stop))); }, tick);
  return value_of(std::move(*result));
}

/// work() that is over soon, with the GIL released on the calling thread.
template <class Work>
auto run_short(Work&& work) {
  std::optional<decltype(work())> result;
  {
    const nanobind::gil_scoped_release released;
    result.emplace(work());
  }
  return value_of(std::move(*result));
}

}  // namespace embd::python
