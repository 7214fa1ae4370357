#include "formats/vectors/ids.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {

Result<void> append_json_id(const Ids& ids, std::size_t i, std::string& out) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
    const std::string& id = (*strings)[i];
    if (find_invalid_utf8(id))
      return fail(ErrorCode::invalid_utf8, "the id {:?} is not valid UTF-8", id.substr(0, 80));
    append_json_string(id, out);
  } else {
    out += fmt::to_string(std::get<std::vector<std::uint64_t>>(ids)[i]);
  }
  return {};
}

}  // namespace embd
