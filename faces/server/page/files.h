#pragma once

#include <string_view>

namespace embd::server {

// The files of this folder, whose contents CMake puts into the program.
std::string_view index_html() noexcept;
std::string_view schemas_json() noexcept;

}  // namespace embd::server
