#pragma once

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/outcome.h"
#include "embd/error.h"

namespace embd {

/// The Error for `reason` after `operation` ("open", "write") on `path` failed: not_found,
/// out_of_memory, pipe_closed or io_failed, with the system's own words.
Error system_error(std::string_view operation, const std::filesystem::path& path, std::errc reason);

/// `outcome` as a Result: a failure becomes the system_error() of `operation` on `path`.
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

/// Whether `error` says that the system answered with errno `number`, such as EACCES: it ends in
/// the system's words for it.
bool is_system_error(const Error& error, int number);

}  // namespace embd
