#pragma once

#include <filesystem>
#include <string_view>

#include "embd/error.h"

namespace embd {

/// The Error for errno after `operation` ("open", "write") on `path` failed: not_found,
/// out_of_memory or io_failed, with the system's own words.
Error system_error(std::string_view operation, const std::filesystem::path& path);

/// Whether `error` says that the system answered with errno `number`, such as EACCES: it ends in
/// the system's words for it.
bool is_system_error(const Error& error, int number);

}  // namespace embd
