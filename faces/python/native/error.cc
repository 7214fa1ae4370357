#include "native/error.h"

#include <string_view>
#include <utility>

#include "base/error_codes.h"

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

}  // namespace embd::python
