#include "base/json_depth.h"

#include <fmt/format.h>

namespace embd {
namespace {

constexpr int max_depth = 256;

}  // namespace

Result<void> check_json_depth(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (c == '\\') ++i;
    } else if (c == '[' || c == '{') {
      if (++depth > max_depth) {
        return std::unexpected(
            Error(ErrorCode::bad_json, fmt::format("nested deeper than {}", max_depth))
                .at_offset(i));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return {};
}

}  // namespace embd
