#pragma once

#include <string_view>

namespace embd {

/// Returns the file file.html of this folder, with the styles and scripts that it includes. CMake
/// puts it into the library.
std::string_view map_file_html() noexcept;

}  // namespace embd
