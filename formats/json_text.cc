#include "formats/json_text.h"

#include <nlohmann/json.hpp>

namespace embd {

void append_json_string(std::string_view text, std::string& out) {
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace embd
