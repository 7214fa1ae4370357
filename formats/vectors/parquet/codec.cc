#include "formats/vectors/parquet/codec.h"

#include <fmt/format.h>
#include <zlib.h>

#include "base/try.h"
#include "formats/vectors/parquet/snappy.h"
#include "formats/vectors/parquet/zstd.h"

namespace embd::parquet {
namespace {

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
  return fail(ErrorCode::compression_failed,
              fmt::format("gzip: a page has {} bytes after decompression, expected {}",
                          stream.total_out, size));
}

}  // namespace

bool is_readable(Codec codec) noexcept {
  return codec == Codec::uncompressed || codec == Codec::snappy || codec == Codec::gzip ||
         codec == Codec::zstd;
}

std::uint64_t most_expansion(Codec codec) noexcept {
  switch (codec) {
    case Codec::snappy:
      return 64;  // A copy of 64 bytes takes two bytes or more.
    case Codec::gzip:
      return 1100;  // 258 bytes in two bits
    case Codec::zstd:
      // A block of 128 KiB takes four bytes or more, and the bound is twice that.
      return 64 * 1024;
    default:
      return 1;
  }
}

Result<std::vector<std::byte>> decompress_page(Codec codec, Bytes stored, std::size_t size) {
  if (codec == Codec::snappy) return decompress_snappy(stored, size);
  if (codec == Codec::gzip) return decompress_gzip(stored, size);
  return decompress(stored, size);
}

}  // namespace embd::parquet
