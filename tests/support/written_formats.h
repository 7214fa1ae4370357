#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats/vectors/formats.h"
#include "jobs/sets/format_table.h"

namespace embd::test {

/// Why a test of SVS is skipped in a build without it (EMBD_SVS=OFF).
inline constexpr const char* no_svs = "this build has no SVS";

/// Returns true if this build has SVS.
inline bool has_svs() {
  return svs::format.open("missing.svs", {}).error().code() != ErrorCode::unsupported;
}

/// Returns the formats that this build writes.
inline std::vector<const Format*> written_formats() {
  std::vector<const Format*> written;
  for (const Format* format : all_formats())
    if (format->create != nullptr && (format != &svs::format || has_svs()))
      written.push_back(format);
  return written;
}

/// Returns those of `names` that this build writes. They end in the extension of a format.
inline std::vector<std::string> written(std::vector<std::string> names) {
  if (has_svs()) return names;
  std::erase_if(names, [](const std::string& name) {
    return std::ranges::any_of(svs::format.extensions, [&](std::string_view extension) {
      return name.ends_with(extension) || name.ends_with(std::string(extension) + "/");
    });
  });
  return names;
}

}  // namespace embd::test
