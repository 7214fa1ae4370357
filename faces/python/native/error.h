#pragma once

#include <nanobind/nanobind.h>

#include "embd/error.h"

namespace embd::python {

/// Raises embd.Error in Python, or the subclass of it that the error's code belongs to.
[[noreturn]] void raise(const Error& error);
/// Raises the exception for invalid_argument with this message.
[[noreturn]] void raise_invalid(std::string what);

/// Returns the value of a result, or raises its error.
template <class T>
T value_of(Result<T>&& result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace embd::python
