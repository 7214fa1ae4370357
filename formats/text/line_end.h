#pragma once

#include <string>

namespace embd {

/// Removes the LF or CRLF at the end of a line.
inline void strip_line_end(std::string& line) {
  if (!line.ends_with('\n')) return;
  line.pop_back();
  if (line.ends_with('\r')) line.pop_back();
}

}  // namespace embd
