#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Returns the file file.html of this folder, with the styles and scripts that it includes. CMake
/// puts it into the library.
std::string_view map_file_html() noexcept;

/// Returns sources for a Content-Security-Policy that allow the page's own script and style and
/// nothing else: "script-src 'sha256-…'; style-src 'sha256-…'", with the hashes of the first script
/// element without attributes and of the style element.
std::string own_sources(std::string_view page);

}  // namespace embd
