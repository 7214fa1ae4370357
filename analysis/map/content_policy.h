#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Returns sources for a Content-Security-Policy that allow the page's own script and style and
/// nothing else: "script-src 'sha256-…'; style-src 'sha256-…'", with the hashes of the first script
/// element without attributes and of the style element.
std::string own_sources(std::string_view page);

}  // namespace embd
