#include "embd/model.h"
#include "embd/reranker.h"
#include "jobs/options/encode_list.h"
#include "jobs/options/score_list.h"
#include "native/bindings.h"
#include "native/keywords.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

/// Binds a structure of options, which Python makes of keyword arguments.
template <class Options>
nb::class_<Options> bind(nb::module_& module, const char* name) {
  nb::class_<Options> bound(module, name);
  bound.def(
      "__init__",
      [](Options* place, const nb::kwargs& given) {
        Options options;
        set_options(given, options);
        new (place) Options(std::move(options));
      },
      nb::sig("def __init__(self, **options: typing.Any) -> None"));
  return bound;
}

}  // namespace

void bind_options(nb::module_& module) {
  bind<EncodeOptions>(module, "EncodeOptions").def_ro("truncate_dim", &EncodeOptions::truncate_dim);
  bind<ScoreOptions>(module, "ScoreOptions");
}

}  // namespace embd::python
