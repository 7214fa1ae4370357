#include "native/python_http_client.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <map>
#include <string_view>

#include "base/stopped.h"
#include "base/try.h"

namespace nb = nanobind;

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

}  // namespace

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

}  // namespace embd::python
