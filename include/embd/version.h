#pragma once

#include <string_view>

namespace embd {

/// Returns the version of the library, such as "0.1.0". The string is static.
std::string_view version() noexcept;

}  // namespace embd
