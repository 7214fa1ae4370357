#include <nanobind/stl/string.h>

#include "embd/version.h"
#include "native/bindings.h"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  // At its end, Python frees the objects of modules in no particular order. Reports of objects that
  // are still alive then would help nobody.
  nb::set_leak_warnings(false);
  module.doc() = "The C++ library embd. Private: use the package embd.";
  module.attr("version") = std::string(embd::version());
  embd::python::bind_options(module);
  embd::python::bind_keywords(module);
  embd::python::bind_model(module);
  embd::python::bind_reranker(module);
  embd::python::bind_vectors(module);
  embd::python::bind_index(module);
  embd::python::bind_search(module);
  embd::python::bind_searcher(module);
  embd::python::bind_jobs(module);
  embd::python::bind_digest(module);
  embd::python::bind_analysis(module);
  embd::python::bind_map(module);
  embd::python::bind_get_model(module);
}
