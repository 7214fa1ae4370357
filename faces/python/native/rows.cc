#include "faces/python/native/rows.h"

#include <fmt/core.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <type_traits>

#include "faces/python/native/texts.h"

namespace nb = nanobind;

namespace embd::python {
namespace {

using Array = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Numbers = std::vector<std::uint64_t>;

[[noreturn]] void raise_range(std::size_t place, const std::string& found) {
  raise_invalid(fmt::format("id {} is {}, expected a whole number from 0 to 2**64 - 1 or a str",
                            place, found));
}

template <class Number>
Numbers numbers_in(const Array& array) {
  const auto* values = static_cast<const Number*>(array.data());
  Numbers numbers;
  numbers.reserve(array.size());
  for (std::size_t i = 0; i < array.size(); ++i) {
    const Number number = values[static_cast<std::int64_t>(i) * array.stride(0)];
    if (number < Number{}) raise_range(i, std::to_string(number));
    numbers.push_back(static_cast<std::uint64_t>(number));
  }
  return numbers;
}

/// Returns nothing if the array does not hold integers in the processor's byte order.
std::optional<Numbers> numbers_in_array(const nb::object& object) {
  Array array;
  if (!nb::try_cast<Array>(object, array, /*convert=*/false)) return std::nullopt;
  const nb::dlpack::dtype type = array.dtype();
  std::optional<Numbers> numbers;
  const auto take_as = [&](auto number) {
    using Number = decltype(number);
    if (type == nb::dtype<Number>()) numbers = numbers_in<Number>(array);
  };
  take_as(std::uint64_t{});
  take_as(std::int64_t{});
  take_as(std::uint32_t{});
  take_as(std::int32_t{});
  take_as(std::uint16_t{});
  take_as(std::int16_t{});
  take_as(std::uint8_t{});
  take_as(std::int8_t{});
  return numbers;
}

bool is_str(nb::handle item) {
  return PyUnicode_Check(item.ptr());
}

[[noreturn]] void raise_type(std::size_t place, nb::handle item) {
  const auto type = nb::cast<std::string>(item.type().attr("__name__"));
  throw nb::type_error(
      fmt::format("id {} is {}, expected ids that are all whole numbers or all str", place, type)
          .c_str());
}

std::uint64_t number_of(nb::handle item, std::size_t place) {
  if (PyBool_Check(item.ptr()) || !PyIndex_Check(item.ptr())) raise_type(place, item);
  const nb::object number = nb::steal(PyNumber_Index(item.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const std::uint64_t value = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred() != nullptr) {  // OverflowError
    PyErr_Clear();
    raise_range(place, nb::cast<std::string>(nb::str(number)));
  }
  return value;
}

Ids ids_in(const nb::tuple& items) {
  if (items.size() > 0 && is_str(items[0])) {
    std::vector<std::string> strings;
    strings.reserve(items.size());
    for (const nb::handle item : items) {
      if (!is_str(item)) raise_type(strings.size(), item);
      strings.emplace_back(utf8_of(item));
    }
    return strings;
  }
  Numbers numbers;
  numbers.reserve(items.size());
  for (const nb::handle item : items) numbers.push_back(number_of(item, numbers.size()));
  return numbers;
}

}  // namespace

Ids ids_of(nb::handle object) {
  if (object.is_none()) return std::monostate();
  nb::object items = nb::borrow(object);
  if (auto numbers = numbers_in_array(items)) return std::move(*numbers);
  if (nb::hasattr(items, "tolist")) items = items.attr("tolist")();
  items = nb::steal(PySequence_Tuple(items.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  return ids_in(nb::borrow<nb::tuple>(items));
}

std::vector<std::uint64_t> numbers_of(nb::handle object) {
  Ids ids = ids_of(object);
  if (auto* numbers = std::get_if<Numbers>(&ids)) return std::move(*numbers);
  throw nb::type_error("the keys of an index must be whole numbers");
}

nb::object from_ids(Ids ids) {
  if (auto* numbers = std::get_if<Numbers>(&ids)) return array_of(std::move(*numbers));
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return nb::cast(*strings);
  return nb::none();
}

}  // namespace embd::python
