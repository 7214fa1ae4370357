#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "embd/vectors.h"

namespace embd::python {

/// Returns the ids of rows. `object` is None (no ids), an array of integers, or a list, tuple or
/// array of str or of int. Raises TypeError, naming the place of the item, if an item is of another
/// type or str and int are mixed. Raises the exception for invalid_argument if a number is negative
/// or has more than 64 bits.
Ids ids_of(nanobind::handle object);
/// Returns ids that must be numbers. Raises TypeError if they are str or None, and what ids_of()
/// raises.
std::vector<std::uint64_t> numbers_of(nanobind::handle object);
/// Returns ids as a Python object: None, a NumPy array of uint64, or a list of str.
nanobind::object from_ids(Ids ids);

}  // namespace embd::python
