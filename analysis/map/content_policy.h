#pragma once

#include <string>
#include <string_view>

namespace embd {

/// Returns the script and the style of a page as sources of a Content-Security-Policy,
/// "script-src 'sha256-…'; style-src 'sha256-…'": the first script element without attributes and
/// the style element are what may run, and nothing else.
std::string own_sources(std::string_view page);

}  // namespace embd
