#include "faces/python/native/long_call.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace nb = nanobind;

namespace embd::python {
namespace {

/// A thread that does the work. The destructor asks it to stop and waits for it without the GIL.
class WorkThread {
 public:
  explicit WorkThread(const std::function<void(std::stop_token)>& work)
      : thread_([this, &work](std::stop_token stop) {
          work(std::move(stop));
          const std::lock_guard lock(mutex_);
          done_ = true;
          changed_.notify_one();
        }) {}
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;
  ~WorkThread() {
    const nb::gil_scoped_release released;
    thread_.request_stop();
    thread_.join();
  }

  /// Waits for `between_looks` at most, without the GIL. Returns true if the work is done.
  bool wait() {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, between_looks, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::jthread thread_;  // the last member because the thread uses the others
};

}  // namespace

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void call_interruptibly(const std::function<void(std::stop_token)>& work,
                        const std::function<void()>& tick) {
  std::optional<WorkThread> thread;
  try {
    thread.emplace(work);
  } catch (const std::system_error&) {  // no thread can be started: do it here, uninterruptibly
    const nb::gil_scoped_release released;
    work({});
    return;
  }
  while (!thread->wait()) {
    if (tick) tick();
    check_signals();
  }
}

}  // namespace embd::python
