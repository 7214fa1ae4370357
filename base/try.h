#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "embd/error.h"

namespace embd {

/// `return fail(ErrorCode::bad_magic, "…")` from a function that returns a Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string what) {
  return std::unexpected(Error(code, std::move(what)));
}

/// Fails with an error about the file or folder at `path`.
inline std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code,
                                      std::string what) {
  return std::unexpected(Error(code, std::move(what)).in_file(path.native()));
}

/// `result`, whose error, if it is one, was found in the file at `path`.
template <class T>
Result<T> in_file(const std::filesystem::path& path, Result<T> result) {
  if (!result) return std::unexpected(std::move(result).error().in_file(path.native()));
  return result;
}

}  // namespace embd

/// The value of a Result, or return its error from the enclosing function:
///   const std::uint32_t rows = EMBD_TRY(reader.u32("rows"));
/// A statement expression (GCC, Clang), because std::expected has no operator for it. The counter
/// gives a nested use its own name. Not inside a braced list, whose first values GCC 12 forgets to
/// destroy, and not behind `new`, whose memory it forgets to free.
#define EMBD_TRY(expression) EMBD_TRY_COUNTED(__COUNTER__, expression)
#define EMBD_TRY_COUNTED(number, expression) \
  EMBD_TRY_NAMED(EMBD_TRY_JOIN(embd_try_, number), expression)
#define EMBD_TRY_JOIN(a, b) a##b
#define EMBD_TRY_NAMED(result, expression)               \
  __extension__({                                        \
    auto&& result = (expression);                        \
    if (!result) [[unlikely]]                            \
      return std::unexpected(std::move(result).error()); \
    std::move(result).value();                           \
  })
