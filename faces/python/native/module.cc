#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "embd/version.h"
#include "faces/python/native/bindings.h"
#include "faces/python/native/keywords.h"
#include "jobs/options/model_lists.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

template <class T>
nb::object or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

nb::object text(std::string_view value) {
  // A path may hold bytes that are not UTF-8. They are decoded as Python decodes paths.
  PyObject* decoded =
      PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal(decoded);
}

}  // namespace

void raise(const Error& error) {
  const nb::object make = nb::module_::import_("embd._errors").attr("make_error");
  const nb::object file = error.file().empty() ? nb::none() : text(error.file());
  const nb::object exception = make(text(error.message()), text(error_name(error.code())), file,
                                    or_none(error.offset()), or_none(error.line()));
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void raise_invalid(std::string what) {
  raise(Error(ErrorCode::invalid_argument, std::move(what)));
}

LoadOptions load_options(const nb::dict& given) {
  LoadOptions options;
  set_options(given, options);
  return options;
}

nb::dict dict_of(const std::vector<Prompt>& prompts) {
  nb::dict named;
  for (const Prompt& prompt : prompts) named[prompt.name.c_str()] = prompt.text;
  return named;
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::vector<ModelNote>& notes) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const ModelNote& note : notes)
    pairs.emplace_back(name_of(note.kind, note_kind_names), note.text);
  return pairs;
}

}  // namespace embd::python

NB_MODULE(_native, module) {
  using namespace embd::python;
  // At its end, Python frees the objects of modules in no particular order. Reports of objects that
  // are still alive then would help nobody.
  nb::set_leak_warnings(false);
  module.doc() = "The C++ library embd. Private: use the package embd.";
  module.attr("version") = std::string(embd::version());
  bind_options(module);
  bind_keywords(module);
  bind_model(module);
  bind_reranker(module);
  bind_vectors(module);
  bind_index(module);
  bind_search(module);
  bind_searcher(module);
  bind_terms(module);
  bind_jobs(module);
  bind_digest(module);
  bind_analysis(module);
  bind_map(module);
  bind_split(module);
  bind_collect(module);
  bind_get_model(module);
}
