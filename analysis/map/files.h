#pragma once

#include <string_view>

namespace embd {

/// file.html of this folder with the styles and scripts that it includes, which CMake puts into the
/// library.
std::string_view map_file_html() noexcept;

}  // namespace embd
