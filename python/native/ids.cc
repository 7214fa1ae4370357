#include "native/ids.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "native/error.h"
#include "native/rows.h"
#include "native/texts.h"

namespace nb = nanobind;

namespace embd::python {

std::vector<std::uint64_t> numbers_of(nb::handle object) {
  using Numbers = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  Numbers numbers;
  if (!nb::try_cast<Numbers>(nb::borrow(object), numbers, /*convert=*/false)) {
    raise_invalid("ids are not a one-dimensional array of uint64");
  }
  return {numbers.data(), numbers.data() + numbers.size()};
}

Ids ids_of(nb::handle object) {
  if (object.is_none()) return std::monostate();
  if (!PyList_Check(object.ptr())) return numbers_of(object);
  const Texts texts(object);
  return std::vector<std::string>(texts.views().begin(), texts.views().end());
}

nb::object from_ids(Ids ids) {
  if (auto* numbers = std::get_if<std::vector<std::uint64_t>>(&ids)) {
    return array_of(std::move(*numbers));
  }
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) return nb::cast(*strings);
  return nb::none();
}

}  // namespace embd::python
