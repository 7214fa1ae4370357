#pragma once

#include <string_view>

namespace embd {

/// "0.1.0".
std::string_view version() noexcept;

}  // namespace embd
