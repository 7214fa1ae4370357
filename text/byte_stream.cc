#include "text/byte_stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/system_error.h"
#include "base/try.h"

namespace embd {
namespace {

constexpr std::size_t buffer_bytes = 1 << 18;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

Result<ByteStream> ByteStream::open(const std::filesystem::path& path) {
  ByteStream stream;
  if (path == "-") {
    stream.name_ = "standard input";
    stream.fd_ = STDIN_FILENO;
  } else {
    stream.name_ = path.native();
    stream.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (stream.fd_ < 0) return std::unexpected(system_error("open", path));
    stream.owned_ = true;
  }
  struct stat status = {};
  if (::fstat(stream.fd_, &status) != 0) return std::unexpected(system_error("stat", stream.name_));
  if (S_ISDIR(status.st_mode))
    return std::unexpected(Error(ErrorCode::io_failed, "is a directory").in_file(stream.name_));
  if (S_ISREG(status.st_mode)) stream.file_bytes_ = static_cast<std::uint64_t>(status.st_size);
  stream.buffer_.resize(buffer_bytes);

  // A mark may arrive in pieces from a pipe.
  while (stream.end_ < byte_order_mark.size() && EMBD_TRY(stream.fill())) {
  }
  if (std::string_view(stream.buffer_.data(), stream.end_).starts_with(byte_order_mark))
    stream.begin_ = byte_order_mark.size();
  return stream;
}

ByteStream::ByteStream(ByteStream&& other) noexcept
    : name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)),
      owned_(std::exchange(other.owned_, false)),
      file_bytes_(other.file_bytes_),
      bytes_read_(other.bytes_read_),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      hash_(std::move(other.hash_)) {}

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(file_bytes_, other.file_bytes_);
  std::swap(bytes_read_, other.bytes_read_);
  std::swap(buffer_, other.buffer_);
  std::swap(begin_, other.begin_);
  std::swap(end_, other.end_);
  std::swap(hash_, other.hash_);
  return *this;
}

ByteStream::~ByteStream() {
  if (owned_) ::close(fd_);
}

Result<bool> ByteStream::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return std::unexpected(system_error("read", name_));
  const auto bytes = static_cast<std::size_t>(count);
  hash_.update(std::string_view(buffer_.data() + end_, bytes));
  end_ += bytes;
  bytes_read_ += bytes;
  return bytes != 0;
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
    if (feed != nullptr) return true;
  }
  return found_any;
}

}  // namespace embd
