#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/outcome.h"
#include "embd/error.h"

namespace embd {

/// Makes an Error for `reason`, the system's answer to `operation` ("open", "write") on `path`. Its
/// code is not_found, out_of_memory, pipe_closed or io_failed; its message has the system's own
/// words.
Error system_error(std::string_view operation, const std::filesystem::path& path, std::errc reason);

/// Converts an outcome to a Result. A failure becomes the system_error() of `operation` on `path`.
template <class T>
Result<T> result_of(std::string_view operation, const std::filesystem::path& path,
                    os::Outcome<T> outcome) {
  if (!outcome) return std::unexpected(system_error(operation, path, outcome.error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return *std::move(outcome);
  }
}

/// Returns true if the system answered with errno `number`, such as EACCES. It is recognized by the
/// system's words at the end of the message.
bool is_system_error(const Error& error, int number);

}  // namespace embd
