#include "native/texts.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <string>

#include "native/error.h"
#include "native/long_call.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

/// The number of texts that are taken within milliseconds.
constexpr std::size_t texts_between_looks = 65536;

}  // namespace

std::string_view utf8_of(nb::handle string) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

Texts::Texts(nb::handle object) {
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr())) {
    arrow_.emplace(object);
    views_ = arrow_->views();
    return;
  }
  items_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!items_.is_valid()) throw nb::python_error();
  const auto items = nb::borrow<nb::tuple>(items_);
  views_.reserve(items.size());
  for (const nb::handle item : items) {
    if (views_.size() % texts_between_looks == 0) check_signals();
    if (!PyUnicode_Check(item.ptr())) {
      const std::string type = nb::cast<std::string>(item.type().attr("__name__"));
      throw nb::type_error(
          ("text " + std::to_string(views_.size()) + " is " + type + ", expected str").c_str());
    }
    views_.push_back(utf8_of(item));
  }
}

void check_are_pairs(const Texts& first, const Texts& second) {
  if (first.views().size() == second.views().size()) return;
  raise_invalid(
      fmt::format("{} first texts of pairs were given for {} second texts, expected one first text "
                  "for each second text",
                  first.views().size(), second.views().size()));
}

}  // namespace embd::python
