#include "embd/get_model.h"

#include <nanobind/stl/string.h>

#include <mutex>

#include "jobs/options/get_model_list.h"
#include "native/bindings.h"
#include "native/keywords.h"
#include "native/long_call.h"
#include "native/python_http_client.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace embd::python {
namespace {

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
  return nb::make_tuple(model.folder.native(), model.commit, model.fetched_bytes);
}

}  // namespace

void bind_get_model(nb::module_& module) {
  module.def("get_model", &fetch, "name"_a, "options"_a, "send"_a, "on_progress"_a.none());
}

}  // namespace embd::python
