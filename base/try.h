#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/path_text.h"
#include "embd/error.h"

namespace embd {

/// Makes the value to return from a function that fails: `return fail(ErrorCode::bad_magic, "…")`.
std::unexpected<Error> fail(ErrorCode code, std::string what);
/// Makes the value to return from a function that fails because of the file or folder at `path`.
std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code, std::string what);
/// Makes the value to return from a function that fails because of the bytes at `offset`.
std::unexpected<Error> fail_at(std::uint64_t offset, ErrorCode code, std::string what);

/// With more arguments, these functions format `what` with them: `fail(ErrorCode::bad_count, "{}
/// rows", rows)`.
template <class First, class... Rest>
std::unexpected<Error> fail(ErrorCode code, fmt::format_string<First, Rest...> what, First&& first,
                            Rest&&... rest) {
  return fail(code, fmt::vformat(what, fmt::make_format_args(first, rest...)));
}
template <class First, class... Rest>
std::unexpected<Error> fail_in(const std::filesystem::path& path, ErrorCode code,
                               fmt::format_string<First, Rest...> what, First&& first,
                               Rest&&... rest) {
  return fail_in(path, code, fmt::vformat(what, fmt::make_format_args(first, rest...)));
}
template <class First, class... Rest>
std::unexpected<Error> fail_at(std::uint64_t offset, ErrorCode code,
                               fmt::format_string<First, Rest...> what, First&& first,
                               Rest&&... rest) {
  return fail_at(offset, code, fmt::vformat(what, fmt::make_format_args(first, rest...)));
}

/// Returns `result`. If it is an error, it is marked as found in the file at `path`.
template <class T>
Result<T> in_file(const std::filesystem::path& path, Result<T> result) {
  if (!result) return std::unexpected(std::move(result).error().in_file(text_of_path(path)));
  return result;
}

/// Makes the value to return from a function that a stop request has ended.
inline std::unexpected<Error> fail_stopped() {
  return fail(ErrorCode::cancelled, "the call was stopped before it ended");
}

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
