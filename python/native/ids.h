#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "embd/vectors.h"

namespace embd::python {

/// Ids of rows from None, an array of whole numbers that are not negative, or a list of str.
Ids ids_of(nanobind::handle object);
/// Numbers alone.
std::vector<std::uint64_t> numbers_of(nanobind::handle object);
/// None, an array of uint64 or a list of str.
nanobind::object from_ids(Ids ids);

}  // namespace embd::python
