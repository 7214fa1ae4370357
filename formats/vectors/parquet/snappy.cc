#include "formats/vectors/parquet/snappy.h"

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "base/try.h"

namespace embd::parquet {
namespace {

constexpr std::string_view field = "Snappy";

/// Reads a number of `bytes` bytes, the lowest first.
Result<std::uint64_t> number(ByteReader& in, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{EMBD_TRY(in.u8(field))} << (8 * i);
  return value;
}

Result<std::uint64_t> varint(ByteReader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const std::uint8_t byte = EMBD_TRY(in.u8(field));
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  return fail(ErrorCode::compression_failed, "Snappy: a length has more than 32 bits");
}

class Block {
 public:
  Block(Bytes block, std::size_t size) : in_(block), size_(size) { out_.reserve(size); }

  Result<std::vector<std::byte>> read() {
    const std::uint64_t told = EMBD_TRY(varint(in_));
    if (told != size_)
      return fail(
          ErrorCode::compression_failed,
          fmt::format("Snappy: the block claims to hold {} bytes, expected {}", told, size_));
    while (in_.remaining() > 0) EMBD_TRY(element());
    if (out_.size() == size_) return std::move(out_);
    return fail(ErrorCode::compression_failed,
                fmt::format("Snappy: the block has {} bytes after decompression, expected {}",
                            out_.size(), size_));
  }

 private:
  Result<void> element() {
    const std::uint8_t tag = EMBD_TRY(in_.u8(field));
    const std::uint64_t high = tag >> 2;
    switch (tag & 3) {
      case 0:
        return literal(high);
      case 1: {
        const std::uint64_t low = EMBD_TRY(number(in_, 1));
        return copy((high & 7) + 4, (high >> 3) << 8 | low);
      }
      case 2:
        return copy(high + 1, EMBD_TRY(number(in_, 2)));
      default:
        return copy(high + 1, EMBD_TRY(number(in_, 4)));
    }
  }

  /// Copies bytes of the block: up to 60, or a number that is in the one to four bytes after the
  /// tag.
  Result<void> literal(std::uint64_t length) {
    constexpr std::uint64_t longest = 60;
    if (length >= longest)
      length = EMBD_TRY(number(in_, static_cast<unsigned>(length - longest + 1)));
    EMBD_TRY(check_room(++length));
    const Bytes bytes = EMBD_TRY(in_.bytes(length, field));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return {};
  }

  /// Copies bytes of the output that came `distance` before. They may include bytes of this copy.
  Result<void> copy(std::uint64_t length, std::uint64_t distance) {
    EMBD_TRY(check_room(length));
    if (distance == 0 || distance > out_.size())
      return fail(ErrorCode::compression_failed,
                  fmt::format("Snappy: a copy begins {} bytes before byte {} of the output, "
                              "expected at least 1 byte before it and not before its beginning",
                              distance, out_.size()));
    for (std::size_t from = out_.size() - distance; length > 0; --length, ++from)
      out_.push_back(out_[from]);
    return {};
  }

  Result<void> check_room(std::uint64_t length) const {
    if (length <= size_ - out_.size()) return {};
    return fail(
        ErrorCode::compression_failed,
        fmt::format("Snappy: the block has more bytes after decompression than the expected {}",
                    size_));
  }

  ByteReader in_;
  std::size_t size_;
  std::vector<std::byte> out_;
};

}  // namespace

Result<std::vector<std::byte>> decompress_snappy(Bytes block, std::size_t size) {
  auto bytes = Block(block, size).read();
  if (bytes || bytes.error().code() == ErrorCode::compression_failed) return bytes;
  return fail(ErrorCode::compression_failed, "Snappy: the block ends too early");
}

}  // namespace embd::parquet
