#include <fmt/format.h>

#include <array>
#include <utility>

#include "analysis/map/files.h"
#include "analysis/map/payload.h"
#include "base/try.h"

namespace embd {
namespace {

using Part = std::pair<std::string_view, std::string>;

/// Replaces each mark by its part, in one pass, so that marks inside a part are not replaced.
std::string filled(std::string_view page, std::span<const Part> parts) {
  std::string out;
  while (true) {
    std::size_t at = std::string_view::npos;
    const Part* next = nullptr;
    for (const Part& part : parts) {
      if (const std::size_t found = page.find(part.first); found < at) {
        at = found;
        next = &part;
      }
    }
    out += page.substr(0, at);
    if (next == nullptr) return out;
    out += next->second;
    page.remove_prefix(at + next->first.size());
  }
}

}  // namespace

Result<std::string> map_page(const RowMap& map, const MapPageOptions& options) {
  return guarded([&]() -> Result<std::string> {
    const std::string_view page = map_file_html();
    const std::string data = EMBD_TRY(map_payload(map, options));
    const std::array parts = {
        Part("@TITLE@", escaped_markup(map.title.empty() ? "Map" : map.title)),
        Part("@POLICY@", fmt::format("default-src 'none'; {}; connect-src 'none'; base-uri 'none'; "
                                     "form-action 'none'",
                                     own_sources(page))),
        Part("@DATA@", data)};
    return filled(page, parts);
  });
}

}  // namespace embd
