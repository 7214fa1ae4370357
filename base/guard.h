#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "base/try.h"

namespace embd {

/// Calls a function that returns a Result and turns an exception that it throws into an error:
/// out_of_memory for a failed allocation, otherwise io_failed with the exception's message. A
/// callback of a caller may throw any exception.
template <class Function>
auto guarded(Function&& function) noexcept -> decltype(function()) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::out_of_memory, {});
  } catch (const std::length_error&) {  // more elements than any memory could hold
    return fail(ErrorCode::out_of_memory, {});
  } catch (const std::exception& exception) {
    return fail(ErrorCode::io_failed, exception.what());
  } catch (...) {
    return fail(ErrorCode::io_failed, "a C++ exception of an unknown type was thrown");
  }
}

}  // namespace embd
