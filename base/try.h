#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "embd/error.h"

namespace embd {

/// Makes the value to return from a function that fails: `return fail(ErrorCode::bad_magic, "…")`.
std::unexpected<Error> fail(ErrorCode code, std::string what);

/// Makes the value to return from a function that fails because of the file or folder at `path`.
std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code, std::string what);

/// Returns `result`. If it is an error, it is marked as found in the file at `path`.
template <class T>
Result<T> in_file(const std::filesystem::path& path, Result<T> result) {
  if (!result) return std::unexpected(std::move(result).error().in_file(path.native()));
  return result;
}

}  // namespace embd

/// Gives the value of a Result, or returns its error from the enclosing function: const
/// std::uint32_t rows = EMBD_TRY(reader.u32("rows")); It is a statement expression (GCC, Clang),
/// because std::expected has no operator for this. The counter gives nested uses different names.
/// It must not stand inside a braced list, whose first values GCC 12 then forgets to destroy, nor
/// after `new`, whose memory it forgets to free. It takes the value by `*`, because value() could
/// throw, for which the compiler would add code that copies the error.
#define EMBD_TRY(expression) EMBD_TRY_COUNTED(__COUNTER__, expression)
#define EMBD_TRY_COUNTED(number, expression) \
  EMBD_TRY_NAMED(EMBD_TRY_JOIN(embd_try_, number), expression)
#define EMBD_TRY_JOIN(a, b) a##b
#define EMBD_TRY_NAMED(result, expression)               \
  __extension__({                                        \
    auto&& result = (expression);                        \
    if (!result) [[unlikely]]                            \
      return std::unexpected(std::move(result).error()); \
    *std::move(result);                                  \
  })
