#include "formats/vectors/parquet/codecs.h"

#include <fmt/format.h>
#include <zlib.h>
#if !defined(EMBD_WITHOUT_ZSTD)
#include <zstd.h>
#endif

#include <bit>

#include "base/byte_reader.h"
#include "base/try.h"

namespace embd::parquet {
namespace {

std::unexpected<Error> bad_block(std::string_view codec, const std::string& what) {
  return fail(ErrorCode::compression_failed, fmt::format("{}: {}", codec, what));
}

std::unexpected<Error> other_size(std::string_view codec, std::uint64_t found,
                                  std::uint64_t expected) {
  return bad_block(
      codec, fmt::format("a page has {} bytes after decompression, expected {}", found, expected));
}

/// The output of a codec that copies bytes of its block and of what it has written.
class CopyingOutput {
 public:
  CopyingOutput(std::string_view codec, std::size_t size) : codec_(codec), size_(size) {
    out_.reserve(size);
  }

  std::size_t written() const noexcept { return out_.size(); }

  /// Copies the next `length` bytes of the block.
  Result<void> literal(ByteReader& in, std::uint64_t length) {
    EMBD_TRY(check_room(length));
    const Bytes bytes = EMBD_TRY(in.bytes(length, codec_));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return {};
  }

  /// Copies bytes of the output that came `distance` before. They may include bytes of this copy.
  Result<void> copy(std::uint64_t length, std::uint64_t distance) {
    EMBD_TRY(check_room(length));
    if (distance == 0 || distance > out_.size())
      return bad_block(codec_,
                       fmt::format("a copy begins {} bytes before byte {} of the output, expected "
                                   "at least 1 byte before it and not before its beginning",
                                   distance, out_.size()));
    const std::size_t to = out_.size();
    out_.resize(to + length);
    for (std::size_t i = to; i < out_.size(); ++i) out_[i] = out_[i - distance];
    return {};
  }

  Result<std::vector<std::byte>> finish() && {
    if (out_.size() != size_) return other_size(codec_, out_.size(), size_);
    return std::move(out_);
  }

 private:
  Result<void> check_room(std::uint64_t length) const {
    if (length <= size_ - out_.size()) return {};
    return bad_block(codec_, fmt::format("a page has more than {} bytes after decompression, the "
                                         "expected number",
                                         size_));
  }

  std::string_view codec_;
  std::size_t size_;
  std::vector<std::byte> out_;
};

/// Reads a number of `bytes` bytes, the lowest first.
Result<std::uint64_t> number(ByteReader& in, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= std::uint64_t{EMBD_TRY(in.u8("a number"))} << (8 * i);
  return value;
}

/// Reads an element of a block of Snappy: a literal, or a copy with a distance of 11, 16 or 32
/// bits.
Result<void> snappy_element(ByteReader& in, CopyingOutput& out) {
  const std::uint8_t tag = EMBD_TRY(in.u8("Snappy"));
  const std::uint64_t high = tag >> 2;
  switch (tag & 3) {
    case 0: {
      // Up to 60 bytes, or a number that is in the one to four bytes after the tag.
      constexpr std::uint64_t longest = 60;
      const std::uint64_t last =
          high < longest ? high : EMBD_TRY(number(in, static_cast<unsigned>(high - longest + 1)));
      return out.literal(in, last + 1);
    }
    case 1:
      return out.copy((high & 7) + 4, (high >> 3) << 8 | EMBD_TRY(number(in, 1)));
    case 2:
      return out.copy(high + 1, EMBD_TRY(number(in, 2)));
    default:
      return out.copy(high + 1, EMBD_TRY(number(in, 4)));
  }
}

Result<std::vector<std::byte>> decompress_snappy(Bytes block, std::size_t size) {
  ByteReader in(block);
  std::uint64_t told = 0;
  std::uint8_t byte = 0x80;
  for (unsigned shift = 0; byte >= 0x80; shift += 7) {
    byte = EMBD_TRY(in.u8("Snappy"));
    told |= std::uint64_t{byte & 0x7FU} << shift;
    if (shift == 28 && byte >= 0x80) return bad_block("Snappy", "a length has more than 32 bits");
  }
  if (told != size) return other_size("Snappy", told, size);
  CopyingOutput out("Snappy", size);
  while (in.remaining() > 0) EMBD_TRY(snappy_element(in, out));
  return std::move(out).finish();
}

/// Reads the rest of a length of LZ4, of which the token has `nibble`.
Result<std::uint64_t> lz4_length(ByteReader& in, unsigned nibble) {
  std::uint64_t length = nibble;
  if (nibble < 15) return length;
  for (std::uint8_t byte = 255; byte == 255; length += byte) byte = EMBD_TRY(in.u8("LZ4"));
  return length;
}

/// Decompresses a block of LZ4: literals and copies in turn, of which the last is a literal.
Result<void> append_lz4(Bytes block, CopyingOutput& out) {
  constexpr std::uint64_t shortest_copy = 4;
  ByteReader in(block);
  while (true) {
    const std::uint8_t token = EMBD_TRY(in.u8("LZ4"));
    EMBD_TRY(out.literal(in, EMBD_TRY(lz4_length(in, token >> 4))));
    if (in.remaining() == 0) return {};
    const std::uint64_t distance = EMBD_TRY(number(in, 2));
    EMBD_TRY(out.copy(EMBD_TRY(lz4_length(in, token & 15)) + shortest_copy, distance));
  }
}

Result<std::vector<std::byte>> decompress_lz4(Bytes block, std::size_t size) {
  CopyingOutput out("LZ4", size);
  EMBD_TRY(append_lz4(block, out));
  return std::move(out).finish();
}

/// Decompresses blocks as Hadoop writes them: a size after decompression, then blocks that make it
/// up, each behind its length. These numbers have their highest byte first.
Result<std::vector<std::byte>> decompress_hadoop_lz4(Bytes stored, std::size_t size) {
  CopyingOutput out("LZ4", size);
  ByteReader in(stored);
  while (in.remaining() > 0) {
    const std::uint64_t end = out.written() + std::byteswap(EMBD_TRY(in.u32("LZ4")));
    while (out.written() < end) {
      const std::uint32_t length = std::byteswap(EMBD_TRY(in.u32("LZ4")));
      EMBD_TRY(append_lz4(EMBD_TRY(in.bytes(length, "LZ4")), out));
    }
  }
  return std::move(out).finish();
}

Result<std::vector<std::byte>> decompress_gzip(Bytes stored, std::size_t size) {
  std::vector<std::byte> page(size);
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  stream.next_out = reinterpret_cast<Bytef*>(page.data());
  stream.avail_out = static_cast<uInt>(size);
  constexpr int any_header = 32;  // Accept a header of gzip or zlib.
  if (inflateInit2(&stream, any_header + MAX_WBITS) != Z_OK)
    return fail(ErrorCode::out_of_memory, "zlib");
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status == Z_STREAM_END && stream.total_out == size) return page;
  return other_size("gzip", stream.total_out, size);
}

#if defined(EMBD_WITHOUT_ZSTD)

std::unexpected<Error> without_zstd() {
  return fail(ErrorCode::unsupported,
              "the file needs Zstandard, which is not part of this build of embd");
}
Result<std::vector<std::byte>> compress_zstd(Bytes) {
  return without_zstd();
}
Result<std::vector<std::byte>> decompress_zstd(Bytes, std::size_t) {
  return without_zstd();
}

#else

Result<std::vector<std::byte>> compress_zstd(Bytes page) {
  constexpr int level = 3;  // Zstandard's own default
  std::vector<std::byte> stored(ZSTD_compressBound(page.size()));
  const std::size_t size =
      ZSTD_compress(stored.data(), stored.size(), page.data(), page.size(), level);
  if (ZSTD_isError(size) != 0) return bad_block("Zstandard", ZSTD_getErrorName(size));
  stored.resize(size);
  return stored;
}

Result<std::vector<std::byte>> decompress_zstd(Bytes stored, std::size_t size) {
  std::vector<std::byte> page(size);
  const std::size_t found = ZSTD_decompress(page.data(), page.size(), stored.data(), stored.size());
  if (ZSTD_isError(found) != 0) return bad_block("Zstandard", ZSTD_getErrorName(found));
  if (found != size) return other_size("Zstandard", found, size);
  return page;
}

#endif

Result<std::vector<std::byte>> decompress_any(Codec codec, Bytes stored, std::size_t size) {
  switch (codec) {
    case Codec::snappy:
      return decompress_snappy(stored, size);
    case Codec::gzip:
      return decompress_gzip(stored, size);
    case Codec::lz4:
      // Some programs wrote blocks without Hadoop's sizes under this name.
      if (auto page = decompress_hadoop_lz4(stored, size)) return page;
      return decompress_lz4(stored, size);
    case Codec::lz4_raw:
      return decompress_lz4(stored, size);
    default:
      return decompress_zstd(stored, size);
  }
}

}  // namespace

std::uint64_t most_expansion(Codec codec) noexcept {
  switch (codec) {
    case Codec::uncompressed:
      return 1;
    case Codec::snappy:
      return 64;  // A copy of 64 bytes takes two bytes or more.
    case Codec::lz4:
    case Codec::lz4_raw:
      return 256;  // A byte of a length adds 255 bytes.
    case Codec::gzip:
      return 1100;  // 258 bytes in two bits
    case Codec::zstd:
      // A block of 128 KiB takes four bytes or more, and the bound is twice that.
      return 64 * 1024;
    default:
      return 0;
  }
}

Result<std::vector<std::byte>> decompress_page(Codec codec, Bytes stored, std::size_t size) {
  auto page = decompress_any(codec, stored, size);
  // A reader of bytes says that they are too few.
  if (!page && page.error().code() == ErrorCode::file_too_short)
    return fail(ErrorCode::compression_failed, "the compressed bytes of a page end too early");
  return page;
}

Result<std::vector<std::byte>> compress_page(Bytes page) {
  return compress_zstd(page);
}

}  // namespace embd::parquet
