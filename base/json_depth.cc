#include "base/json_depth.h"

#include <fmt/format.h>

namespace embd {

Result<void> check_json_depth(std::string_view text, std::uint64_t text_at, int max_depth) {
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
            Error(ErrorCode::bad_json, fmt::format("nested deeper than {} levels", max_depth))
                .at_offset(text_at + i));
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return {};
}

}  // namespace embd
