#include "formats/text/line_stream.h"

#include "base/try.h"

namespace embd {

Result<bool> LineStream::append_line(std::string& line) {
  const std::size_t first = line.size();
  if (!EMBD_TRY(bytes_.append_line(line))) return false;
  ++line_;
  auto converted = converter_.convert(line, first);
  if (!converted) {
    return std::unexpected(std::move(converted).error().at_line(line_).in_file(bytes_.name()));
  }
  return true;
}

}  // namespace embd
