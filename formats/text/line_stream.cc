#include "formats/text/line_stream.h"

#include <array>
#include <cstring>

#include "base/path_text.h"
#include "base/system_error.h"
#include "base/try.h"
#include "base/utf8.h"

namespace embd {
namespace {

using namespace std::string_view_literals;

struct KnownBinary {
  std::string_view start;  ///< no text begins with it
  std::string_view what;   ///< faces/cli/remedy.cc knows a command for each
  std::string_view remedy;
};

constexpr std::array known = {
    KnownBinary{"\x1F\x8B", "gzip data", "unpack it first"},
    KnownBinary{"\x28\xB5\x2F\xFD", "Zstandard data", "unpack it first"},
    KnownBinary{"\xFD\x37zXZ\0"sv, "xz data", "unpack it first"},
    KnownBinary{"BZh91AY&SY", "bzip2 data", "unpack it first"},
    KnownBinary{"PK\x03\x04", "a zip archive (docx, xlsx and odt are some, too)",
                "take the texts out of it first"},
    KnownBinary{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a document of old Office programs",
                "convert it to text first"},
    KnownBinary{"%PDF-", "a PDF document", "convert it to text first"},
    KnownBinary{"{\\rtf", "an RTF document", "convert it to text first"},
    KnownBinary{"SQLite format 3\0"sv, "a SQLite database", "take the texts out of it first"},
    KnownBinary{"\x7F"
                "ELF",
                "a program", "take the texts out of it first"},
    KnownBinary{"\x89PNG\r\n\x1A\n", "an image", "recognize its text first"},
    KnownBinary{"\xFF\xD8\xFF", "an image", "recognize its text first"},
    KnownBinary{"GIF89a", "an image", "recognize its text first"},
    KnownBinary{"II*\0"sv, "an image", "recognize its text first"},
    KnownBinary{"MM\0*"sv, "an image", "recognize its text first"},
    KnownBinary{"\xFF\xFE", "UTF-16", "convert it to UTF-8 first"},
    KnownBinary{"\xFE\xFF", "UTF-16", "convert it to UTF-8 first"},
    KnownBinary{"PAR1\x15", "a Parquet file", "choose parquet as the format of the input"},
    KnownBinary{"\x93NUMPY", "a NumPy file", "it contains numbers, not texts"},
    KnownBinary{"CVCF\x01\0"sv, "a CVC file", "it contains vectors, not texts"},
    KnownBinary{"ARROW1\0"sv, "an Arrow file", "read the texts from it with a library for Arrow"},
};

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

constexpr std::size_t buffer_bytes = 1 << 18;
/// The time between two checks for a stop request while waiting for bytes.
constexpr std::chrono::milliseconds between_looks(100);

}  // namespace

Result<void> refuse_known_binary(std::string_view start) {
  for (const auto& [magic, what, remedy] : known)
    if (start.starts_with(magic))
      return fail(ErrorCode::unsupported, "the file is {}, expected texts in UTF-8: {}", what,
                  remedy);
  return {};
}

Result<Utf8Converter> Utf8Converter::create(const std::string& encoding, InvalidText invalid) {
  Utf8Converter converter(encoding, invalid);
  if (encoding.empty()) return converter;
  converter.conversion_ = os::TextConversion::from(encoding);
  if (!converter.conversion_) {
    return fail(ErrorCode::invalid_argument,
                "iconv does not know the encoding {:?}, expected a name such as "
                "latin-1 or windows-1252",
                encoding);
  }
  // Not all of ASCII: Shift JIS has a yen sign in place of the backslash.
  constexpr std::string_view plain =
      "\t\n\r 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string converted(plain);
  if (!converter.convert_foreign(converted, 0) || converted != plain) {
    return fail(
        ErrorCode::invalid_argument,
        "the encoding {:?} stores line ends or letters as other bytes than ASCII and cannot be "
        "read directly: convert the file to UTF-8 first",
        encoding);
  }
  return converter;
}

Result<void> Utf8Converter::convert(std::string& text, std::size_t first) {
  if (const std::size_t nul = text.find('\0', first); nul != std::string::npos) {
    return fail(ErrorCode::unsupported,
                "byte {} is NUL, which no text contains: remove such bytes, or convert "
                "the file to UTF-8 first, if a program of Windows wrote it as UTF-16",
                nul);
  }
  return conversion_ ? convert_foreign(text, first) : convert_utf8(text, first);
}

std::unexpected<Error> Utf8Converter::invalid_byte(const std::string& text, std::size_t at) const {
  return fail(ErrorCode::invalid_utf8, "byte {} is {:#04x}, which is not part of a character in {}",
              at, static_cast<unsigned>(static_cast<unsigned char>(text[at])),
              encoding_.empty() ? "UTF-8" : encoding_);
}

Result<void> Utf8Converter::convert_utf8(std::string& text, std::size_t first) {
  auto offset = find_invalid_utf8(std::string_view(text).substr(first));
  if (!offset) return {};
  if (invalid_ == InvalidText::refuse) return invalid_byte(text, first + *offset);
  converted_.clear();
  std::size_t at = first;
  for (; offset; offset = find_invalid_utf8(std::string_view(text).substr(at))) {
    converted_.append(text, at, *offset).append(replacement_character);
    at += *offset;
    at += decode_utf8(text.data() + at, text.data() + text.size()).size;
  }
  converted_.append(text, at);
  text.replace(first, std::string::npos, converted_);
  return {};
}

Result<void> Utf8Converter::convert_foreign(std::string& text, std::size_t first) {
  conversion_->reset();  // No shift lasts beyond a line.
  converted_.clear();
  for (std::size_t at = first; at < text.size(); ++at) {
    at += conversion_->convert(std::string_view(text).substr(at), converted_);
    if (at == text.size()) break;
    if (invalid_ == InvalidText::refuse) return invalid_byte(text, at);
    converted_ += replacement_character;
  }
  text.replace(first, std::string::npos, converted_);
  return {};
}

Result<ByteStream> ByteStream::open(const std::filesystem::path& path, std::uint64_t max_line_bytes,
                                    std::stop_token stop) {
  ByteStream stream;
  stream.max_line_bytes_ = max_line_bytes;
  stream.stop_ = std::move(stop);
  if (path == "-") {
    stream.name_ = "standard input";
    stream.file_ = EMBD_TRY(result_of("open", path_of_text(stream.name_), os::standard_input()));
  } else {
    stream.name_ = text_of_path(path);
    stream.file_ = EMBD_TRY(FileDescriptor::open(path));
  }
  const FileStatus status =
      EMBD_TRY(result_of("stat", path_of_text(stream.name_), os::status_of(stream.file_)));
  if (status.kind == FileKind::folder)
    return fail_in(path_of_text(stream.name_), ErrorCode::io_failed,
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
  EMBD_TRY(in_file(path_of_text(stream.name_), refuse_known_binary(start)));
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
  const std::size_t bytes =
      EMBD_TRY(file_.read_some(std::as_writable_bytes(room), path_of_text(name_)));
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
  const FileStatus status = EMBD_TRY(result_of("stat", path_of_text(name_), os::status_of(file_)));
  if (status.size == *file_bytes_ && status.modified == changed_at_) return {};
  return fail_in(
      path_of_text(name_), ErrorCode::io_failed,
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
  return fail_in(path_of_text(name_), ErrorCode::bad_value,
                 "{} has more than {} bytes, which is the limit max_text_bytes: raise "
                 "the limit if the file is as it should be",
                 what, max_line_bytes_);
}

std::string ByteStream::sha256() noexcept {
  if (!is_hashed_) return {};
  hash_given();
  Sha256 so_far = hash_;
  return so_far.hex();
}

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
