#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/path_text.h"
#include "base/try.h"
#include "embd/get_model.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "faces/python/native/long_call.h"
#include "jobs/options/model_lists.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

/// Returns the result of call(). An OSError or a ValueError that Python raises in it becomes a
/// failure, which may pass if it is a ConnectionError; other exceptions are passed on.
template <class Call>
auto caught(Call&& call) -> std::expected<decltype(call()), HttpFailure> {
  try {
    return call();
  } catch (nb::python_error& error) {
    const bool is_invalid = error.matches(PyExc_ValueError);
    if (!is_invalid && !error.matches(PyExc_OSError)) throw;
    return std::unexpected(
        HttpFailure(Error(is_invalid ? ErrorCode::invalid_argument : ErrorCode::io_failed,
                          nb::str(error.value()).c_str()),
                    error.matches(PyExc_ConnectionError)));
  }
}

/// Returns the next item of an iterator, or an invalid object at its end.
nb::object next_of(const nb::object& iterator) {
  nb::object item = nb::steal(PyIter_Next(iterator.ptr()));
  if (!item.is_valid() && PyErr_Occurred() != nullptr) throw nb::python_error();
  return item;
}

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
  PythonHttpClient(nb::callable send, std::function<void()> after_block)
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

  nb::callable send_;
  std::function<void()> after_block_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Exchange* waiting_ = nullptr;
};

HttpResult PythonHttpClient::get(const HttpRequest& request, const HttpBodySink& body,
                                 const std::stop_token& stop) {
  Exchange exchange = {.request = &request, .body = &body};
  std::unique_lock lock(mutex_);
  waiting_ = &exchange;
  // The stop is requested on the thread that calls serve(), so serve() cannot run at this time.
  changed_.wait(lock, stop, [&] { return exchange.answer.has_value(); });
  waiting_ = nullptr;
  if (!exchange.answer) return fail_stopped();
  return std::move(*exchange.answer);
}

void PythonHttpClient::serve() {
  Exchange* exchange = nullptr;
  {
    const std::lock_guard lock(mutex_);
    exchange = waiting_;
  }
  if (exchange == nullptr || exchange->answer) return;
  auto answer = send(*exchange->request, *exchange->body);
  const std::lock_guard lock(mutex_);
  exchange->answer = std::move(answer);
  changed_.notify_all();
}

HttpResult PythonHttpClient::send(const HttpRequest& request, const HttpBodySink& body) {
  HttpAnswer answer;
  const nb::object blocks = EMBD_TRY(caught([&]() -> nb::object {
    const nb::object sent = send_(request.url, request.headers);
    answer.status = nb::cast<int>(sent[0]);
    answer.headers = nb::cast<std::map<std::string, std::string>>(sent[1]);
    return sent[2];
  }));
  while (true) {
    const nb::object block = EMBD_TRY(caught([&] { return next_of(blocks); }));
    if (!block.is_valid()) return answer;
    const nb::bytes bytes = nb::cast<nb::bytes>(block);
    {
      const nb::gil_scoped_release released;
      EMBD_TRY(body(answer, std::string_view(bytes.c_str(), bytes.size())));
    }
    after_block_();
  }
}

/// Passes the state of a download from the thread that fetches to a function of Python.
class Reported {
 public:
  /// `function` takes the name of a file, the bytes that are there and the bytes of all files. It
  /// may be None.
  explicit Reported(nb::object function) : function_(std::move(function)) {}

  void note(const GetModelProgress& now) {
    const std::lock_guard lock(mutex_);
    now_ = now;
    is_new_ = true;
  }
  /// Calls the function if there is a new state since the last call. The caller holds the GIL.
  void tell() {
    GetModelProgress now;
    {
      const std::lock_guard lock(mutex_);
      if (!is_new_ || function_.is_none()) return;
      is_new_ = false;
      now = now_;
    }
    function_(now.file, now.bytes, now.all_bytes);
  }

 private:
  nb::object function_;
  std::mutex mutex_;
  GetModelProgress now_;
  bool is_new_ = false;
};

nb::tuple fetch(const std::string& name, const nb::dict& given, nb::callable send,
                nb::object on_progress) {
  GetModelOptions options;
  set_options(given, options);
  Reported reported(std::move(on_progress));
  options.on_progress = [&](const GetModelProgress& now) { reported.note(now); };
  PythonHttpClient client(std::move(send), [&] { reported.tell(); });
  const FetchedModel model = run_long(
      [&](std::stop_token stop) { return get_model(name, client, options, std::move(stop)); },
      [&] {
        client.serve();
        reported.tell();
      });
  reported.tell();
  return nb::make_tuple(text_of_path(model.folder), model.commit, model.fetched_bytes);
}

}  // namespace

void bind_get_model(nb::module_& module) {
  module.def("get_model", &fetch, "name"_a, "options"_a, "send"_a, "on_progress"_a.none());
}

}  // namespace embd::python
