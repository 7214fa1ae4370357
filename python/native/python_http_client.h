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

/// Sends requests by a function of Python, such as embd._http.get.
///
/// Python runs on the thread that made this object and calls serve(), while a thread of the library
/// waits in get(). Signals are raised in Python there, so Ctrl-C ends a request that is waiting.
class PythonHttpClient final : public HttpClient {
 public:
  /// `send`: takes a URL and a dict of headers, and returns the status, a dict of the answer's
  /// headers by their names in lower case, and an iterator of bytes. An OSError that it raises is
  /// io_failed, a ValueError invalid_argument. `after_block`: is called after each item of the
  /// iterator, with the GIL held.
  PythonHttpClient(nanobind::callable send, std::function<void()> after_block)
      : send_(std::move(send)), after_block_(std::move(after_block)) {}

  /// Waits until serve() has sent the request, or a stop was asked for.
  Result<HttpAnswer> get(const HttpRequest& request, const HttpBodySink& body,
                         const std::stop_token& stop) override;

  /// Sends the request that a thread waits for in get(), if one does. With the GIL held. Throws
  /// what Python raised, but for OSError and ValueError; ask the waiting thread to stop then.
  void serve();

 private:
  struct Exchange {
    const HttpRequest* request;
    const HttpBodySink* body;
    std::optional<Result<HttpAnswer>> answer = {};
  };

  Result<HttpAnswer> send(const HttpRequest& request, const HttpBodySink& body);

  nanobind::callable send_;
  std::function<void()> after_block_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Exchange* waiting_ = nullptr;
};

}  // namespace embd::python
