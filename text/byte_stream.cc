#include "text/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/system_error.h"
#include "base/try.h"
#include "text/known_binary.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
/// How often somebody who waits looks whether to stop.
constexpr int milliseconds_between_looks = 100;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

Result<ByteStream> ByteStream::open(const std::filesystem::path& path, std::stop_token stop) {
  ByteStream stream;
  stream.stop_ = std::move(stop);
  if (path == "-") {
    stream.name_ = "standard input";
    stream.file_ = FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!stream.file_.is_open()) return std::unexpected(system_error("open", stream.name_));
  } else {
    stream.name_ = path.native();
    stream.file_ = EMBD_TRY(FileDescriptor::open(path, O_RDONLY));
  }
  struct stat status = {};
  if (::fstat(stream.file_.get(), &status) != 0)
    return std::unexpected(system_error("stat", stream.name_));
  if (S_ISDIR(status.st_mode)) return fail_in(stream.name_, ErrorCode::io_failed, "is a directory");
  if (S_ISREG(status.st_mode)) {
    stream.file_bytes_ = static_cast<std::uint64_t>(status.st_size);
    stream.is_hashed_ = path != "-";
    stream.changed_at_ = status.st_mtim;
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
  pollfd waiting = {.fd = file_.get(), .events = POLLIN, .revents = 0};
  while (true) {
    const int ready = ::poll(&waiting, 1, milliseconds_between_looks);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return {};  // Reading says what is wrong.
    if (stop_.stop_requested()) return fail(ErrorCode::cancelled, "stopped");
  }
}

Result<void> ByteStream::check_unchanged() const {
  if (!is_hashed_) return {};
  struct stat status = {};
  if (::fstat(file_.get(), &status) != 0) return std::unexpected(system_error("stat", name_));
  if (static_cast<std::uint64_t>(status.st_size) == *file_bytes_ &&
      status.st_mtim.tv_sec == changed_at_.tv_sec && status.st_mtim.tv_nsec == changed_at_.tv_nsec)
    return {};
  return fail_in(name_, ErrorCode::io_failed, "changed while it was read: read it again");
}

Result<bool> ByteStream::append_line(std::string& line) {
  bool found_any = false;
  while (begin_ != end_ || EMBD_TRY(fill())) {
    found_any = true;
    const char* first = buffer_.data() + begin_;
    const auto* feed = static_cast<const char*>(std::memchr(first, '\n', end_ - begin_));
    const std::size_t count =
        feed != nullptr ? static_cast<std::size_t>(feed - first) + 1 : end_ - begin_;
    line.append(first, count);
    begin_ += count;
    bytes_read_ += count;
    if (feed != nullptr) return true;
  }
  return found_any;
}

std::string ByteStream::sha256() noexcept {
  if (!is_hashed_) return {};
  hash_given();
  Sha256 so_far = hash_;
  return so_far.hex();
}

}  // namespace embd
