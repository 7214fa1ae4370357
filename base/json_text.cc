#include "base/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "base/utf8.h"

namespace embd {

void append_json_string(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json_float(float value, std::string& out) {
  out += std::isfinite(value) ? fmt::to_string(value) : "null";
}

Result<void> append_json_id(const Ids& ids, std::size_t i, std::string& out) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&ids)) {
    const std::string& id = (*strings)[i];
    if (find_invalid_utf8(id))
      return fail(ErrorCode::invalid_utf8, fmt::format("the id {:?}", id.substr(0, 80)));
    append_json_string(id, out);
  } else {
    out += fmt::to_string(std::get<std::vector<std::uint64_t>>(ids)[i]);
  }
  return {};
}

}  // namespace embd
