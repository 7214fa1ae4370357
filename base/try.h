#pragma once

#include <string>
#include <utility>

#include "embd/error.h"

namespace embd {

/// `return fail(ErrorCode::bad_magic, "…")` from a function that returns a Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error(code, std::move(what)));
}

}  // namespace embd

/// The value of a Result, or return its error from the enclosing function:
///   const std::uint32_t rows = EMBD_TRY(reader.u32("rows"));
/// A statement expression (GCC, Clang), because std::expected has no operator for it.
#define EMBD_TRY(expression)                                      \
  __extension__({                                                 \
    auto&& embd_try_result = (expression);                        \
    if (!embd_try_result) [[unlikely]]                            \
      return std::unexpected(std::move(embd_try_result).error()); \
    std::move(embd_try_result).value();                           \
  })
