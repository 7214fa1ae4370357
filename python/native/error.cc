#include "native/error.h"

#include <array>
#include <string_view>
#include <utility>

namespace nb = nanobind;

namespace embd::python {
namespace {

/// Returns the name of an enumerator, taken from the name that the compiler gives this function.
template <ErrorCode code>
constexpr std::string_view name_of() {
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "ErrorCode::";
  constexpr std::size_t first = function.rfind(before) + before.size();
  return function.substr(first, function.find_first_of("];,", first) - first);
}

constexpr std::size_t num_codes = static_cast<std::size_t>(ErrorCode::file_checksum) + 1;

template <std::size_t... codes>
constexpr std::array<std::string_view, num_codes> all_names(std::index_sequence<codes...>) {
  return {name_of<static_cast<ErrorCode>(codes)>()...};
}

std::string_view name_of(ErrorCode code) {
  static constexpr auto names = all_names(std::make_index_sequence<num_codes>());
  return names.at(static_cast<std::size_t>(code));
}
static_assert(name_of<ErrorCode::file_checksum>() == "file_checksum");

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
  const nb::object exception = make(text(error.message()), text(name_of(error.code())), file,
                                    or_none(error.offset()), or_none(error.line()));
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

void raise_invalid(std::string what) {
  raise(Error(ErrorCode::invalid_argument, std::move(what)));
}

}  // namespace embd::python
