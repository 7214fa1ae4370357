#include "native/texts.h"

#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace embd::python {

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
    if (!PyUnicode_Check(item.ptr())) {
      const std::string type = nb::cast<std::string>(item.type().attr("__name__"));
      throw nb::type_error(
          ("text " + std::to_string(views_.size()) + " is " + type + ", expected str").c_str());
    }
    views_.push_back(utf8_of(item));
  }
}

std::size_t Texts::num_bytes() const noexcept {
  std::size_t sum = 0;
  for (const std::string_view text : views_) sum += text.size();
  return sum;
}

}  // namespace embd::python
