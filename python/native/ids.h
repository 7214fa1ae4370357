#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "embd/vectors.h"

namespace embd::python {

/// Returns the ids of rows: None, an array of whole numbers, or a list, a tuple or an array of str
/// or of int, each of which is checked. Raises: TypeError for anything else, named by its place,
/// and for str among numbers; invalid_argument for a number that is negative or has more than 64
/// bits.
Ids ids_of(nanobind::handle object);
/// Returns ids that are numbers. Raises: TypeError for str; what ids_of() raises.
std::vector<std::uint64_t> numbers_of(nanobind::handle object);
/// Returns None, an array of uint64 or a list of str.
nanobind::object from_ids(Ids ids);

}  // namespace embd::python
