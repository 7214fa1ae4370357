#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "embd/get_model.h"

namespace embd::python {

/// An HttpClient that sends requests with a Python function, such as embd._http.get.
///
/// A thread of the library calls get() and waits, while the thread that made this object calls
/// serve(), which runs the Python function. Python handles signals on that thread, so Ctrl-C ends a
/// request that is waiting.
class PythonHttpClient final : public HttpClient {
 public:
  /// `send` takes a URL and a dict of headers, and returns a tuple: the status, a dict of the
  /// answer's headers with names in lower case, and an iterator of bytes. If it raises OSError,
  /// get() fails with io_failed; the failure may pass if it is a ConnectionError. For ValueError it
  /// fails with invalid_argument. `after_block` is called after each item of the iterator, with the
  /// GIL held.
  PythonHttpClient(nanobind::callable send, std::function<void()> after_block)
      : send_(std::move(send)), after_block_(std::move(after_block)) {}

  /// Waits until serve() has sent the request, and returns its answer. Fails with cancelled if a
  /// stop was requested before.
  HttpResult get(const HttpRequest& request, const HttpBodySink& body,
                 const std::stop_token& stop) override;

  /// Sends the request of a thread that waits in get(), if there is one. Call it with the GIL held.
  /// Throws exceptions of the Python function other than OSError and ValueError; the caller must
  /// then ask the waiting thread to stop.
  void serve();

 private:
  struct Exchange {
    const HttpRequest* request;
    const HttpBodySink* body;
    std::optional<HttpResult> answer = {};
  };

  HttpResult send(const HttpRequest& request, const HttpBodySink& body);

  nanobind::callable send_;
  std::function<void()> after_block_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Exchange* waiting_ = nullptr;
};

}  // namespace embd::python
