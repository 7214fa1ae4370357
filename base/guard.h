#pragma once

#include <exception>
#include <new>
#include <stdexcept>

#include "base/try.h"

namespace embd {

/// Calls a function that returns a Result; what it throws becomes an Error: out_of_memory, or
/// io_failed with the exception's words (a caller's own callback may throw anything).
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
    return fail(ErrorCode::io_failed, "unknown exception");
  }
}

}  // namespace embd
