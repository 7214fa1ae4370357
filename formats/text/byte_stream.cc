#include "formats/text/byte_stream.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "base/os/standard_streams.h"
#include "base/stopped.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"
#include "formats/text/known_binary.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
/// The time between two checks for a stop request while waiting for bytes.
constexpr std::chrono::milliseconds between_looks(100);

}  // namespace

Result<ByteStream> ByteStream::open(const std::filesystem::path& path, std::uint64_t max_line_bytes,
                                    std::stop_token stop) {
  ByteStream stream;
  stream.max_line_bytes_ = max_line_bytes;
  stream.stop_ = std::move(stop);
  if (path == "-") {
    stream.name_ = "standard input";
    stream.file_ = EMBD_TRY(result_of("open", stream.name_, os::standard_input()));
  } else {
    stream.name_ = path.native();
    stream.file_ = EMBD_TRY(FileDescriptor::open(path));
  }
  const FileStatus status = EMBD_TRY(result_of("stat", stream.name_, os::status_of(stream.file_)));
  if (status.kind == FileKind::folder)
    return fail_in(stream.name_, ErrorCode::io_failed,
                   "the path names a directory, expected a file");
  if (status.kind == FileKind::file) {
    stream.file_bytes_ = status.size;
    stream.is_hashed_ = path != "-";
    stream.changed_at_ = status.modified;
  }
  stream.buffer_.resize(buffer_bytes);

  // A mark may arrive in pieces from a pipe.
  while (stream.end_ < byte_order_mark.size() && EMBD_TRY(stream.fill())) {
  }
  const std::string_view start(stream.buffer_.data(), stream.end_);
  EMBD_TRY(in_file(stream.name_, refuse_known_binary(start)));
  if (start.starts_with(byte_order_mark))
    stream.begin_ = stream.bytes_read_ = byte_order_mark.size();
  return stream;
}

void ByteStream::hash_given() noexcept {
  if (is_hashed_)
    hash_.update(std::string_view(buffer_.data() + hashed_end_, begin_ - hashed_end_));
  hashed_end_ = begin_;
}

Result<bool> ByteStream::fill() {
  if (begin_ == end_) {
    hash_given();
    begin_ = end_ = hashed_end_ = 0;
  }
  if (!file_bytes_ && stop_.stop_possible()) EMBD_TRY(wait());
  const std::span room = std::span(buffer_).subspan(end_);
  const std::size_t bytes = EMBD_TRY(file_.read_some(std::as_writable_bytes(room), name_));
  end_ += bytes;
  if (bytes == 0) EMBD_TRY(check_unchanged());
  return bytes != 0;
}

Result<void> ByteStream::wait() const {
  while (!file_.await_input(between_looks))
    if (stop_.stop_requested()) return fail_stopped();
  return {};
}

Result<void> ByteStream::check_unchanged() const {
  if (!is_hashed_) return {};
  const FileStatus status = EMBD_TRY(result_of("stat", name_, os::status_of(file_)));
  if (status.size == *file_bytes_ && status.modified == changed_at_) return {};
  return fail_in(
      name_, ErrorCode::io_failed,
      "the file was changed while it was read: try again when no other program changes it");
}

Result<bool> ByteStream::append_line(std::string& line) {
  bool found_any = false;
  while (begin_ != end_ || EMBD_TRY(fill())) {
    found_any = true;
    const char* first = buffer_.data() + begin_;
    const auto* feed = static_cast<const char*>(std::memchr(first, '\n', end_ - begin_));
    const std::size_t count =
        feed != nullptr ? static_cast<std::size_t>(feed - first) + 1 : end_ - begin_;
    EMBD_TRY(check_size("the line", line.size() + count));
    line.append(first, count);
    begin_ += count;
    bytes_read_ += count;
    if (feed != nullptr) return true;
  }
  return found_any;
}

Result<void> ByteStream::check_size(std::string_view what, std::uint64_t bytes) const {
  if (bytes <= max_line_bytes_) return {};
  return fail_in(name_, ErrorCode::bad_value,
                 fmt::format("{} has more than {} bytes, which is the limit max_text_bytes: raise "
                             "the limit if the file is as it should be",
                             what, max_line_bytes_));
}

std::string ByteStream::sha256() noexcept {
  if (!is_hashed_) return {};
  hash_given();
  Sha256 so_far = hash_;
  return so_far.hex();
}

}  // namespace embd
