#include "formats/text/line_stream.h"

#include "base/try.h"

namespace embd {

Result<bool> LineStream::append_line(std::string& line) {
  const std::size_t first = line.size();
  auto more = bytes_.append_line(line);
  if (!more && more.error().code() == ErrorCode::io_failed) return more;  // at no line
  if (!more) return std::unexpected(std::move(more).error().at_line(line_ + 1));
  if (!*more) return false;
  ++line_;
  auto converted = converter_.convert(line, first);
  if (!converted) {
    return std::unexpected(std::move(converted).error().at_line(line_).in_file(bytes_.name()));
  }
  return true;
}

}  // namespace embd
