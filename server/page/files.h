#pragma once

#include <string_view>

namespace embd::server {

// Files of this folder, which CMake puts into the program.
std::string_view index_html() noexcept;
std::string_view openapi_json() noexcept;

}  // namespace embd::server
