#pragma once

#include <nanobind/nanobind.h>

#include "embd/error.h"

namespace embd::python {

/// Throws what Python sees as embd.Error, or as the class under it that the code belongs to.
[[noreturn]] void raise(const Error& error);
[[noreturn]] void raise_invalid(std::string what);

template <class T>
T value_of(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace embd::python
