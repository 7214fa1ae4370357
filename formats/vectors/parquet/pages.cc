#include "formats/vectors/parquet/pages.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>

#include "base/try.h"
#include "formats/vectors/parquet/compact_protocol.h"

#if !defined(EMBD_WITHOUT_ZSTD)
#endif

namespace embd::parquet {
namespace {

std::unexpected<Error> bad_block(std::string_view codec, const std::string& what) {
  return fail(ErrorCode::compression_failed, "{}: {}", codec, what);
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

constexpr std::string_view run = "a run of encoded numbers";
constexpr std::string_view differences = "packed differences";

/// Returns the `index`-th number of `width` bits, packed from the lowest bit on. The bits must be
/// in `packed`.
std::uint64_t unpack(Bytes packed, std::uint64_t index, unsigned width) {
  std::uint64_t value = 0;
  const std::uint64_t first = index * width;
  for (unsigned done = 0; done < width;) {
    const std::uint64_t bit = first + done;
    const auto byte = static_cast<std::uint8_t>(packed[bit / 8]) >> (bit % 8);
    const unsigned taken = std::min<unsigned>(8 - bit % 8, width - done);
    value |= (std::uint64_t{static_cast<std::uint8_t>(byte)} & ((1U << taken) - 1)) << done;
    done += taken;
  }
  return value;
}

/// Reads the blocks of packed differences.
class Differences {
 public:
  Differences(ByteReader& in, std::uint64_t count) : in_(in), count_(count) {}

  Result<std::vector<std::int64_t>> read() {
    const std::uint64_t block = EMBD_TRY(read_varint(in_, differences));
    const std::uint64_t parts = EMBD_TRY(read_varint(in_, differences));
    const std::uint64_t total = EMBD_TRY(read_varint(in_, differences));
    last_ = static_cast<std::uint64_t>(EMBD_TRY(read_signed_varint(in_, differences)));
    constexpr std::uint64_t most_block = std::uint64_t{1} << 20;  // Programs write 128 to 1024.
    if (block == 0 || block > most_block || parts == 0 || block % parts != 0 ||
        block / parts % 8 != 0)
      return fail(ErrorCode::bad_value,
                  "blocks of {} differences have {} parts, expected parts of a "
                  "multiple of 8 differences",
                  block, parts);
    if (total != count_)
      return fail(ErrorCode::bad_count, "there are {} packed differences, expected {}", total,
                  count_);
    numbers_.reserve(count_);
    if (count_ > 0) numbers_.push_back(static_cast<std::int64_t>(last_));
    while (numbers_.size() < count_) EMBD_TRY(read_block(parts, block / parts));
    return std::move(numbers_);
  }

 private:
  /// Reads a block: its least difference, the widths of its parts, and the parts. Parts without
  /// numbers are left out.
  Result<void> read_block(std::uint64_t parts, std::uint64_t part_size) {
    const auto least = static_cast<std::uint64_t>(EMBD_TRY(read_signed_varint(in_, differences)));
    const Bytes widths = EMBD_TRY(in_.bytes(parts, differences));
    for (std::size_t i = 0; i < widths.size() && numbers_.size() < count_; ++i) {
      const auto width = static_cast<unsigned>(widths[i]);
      if (width > 64)
        return fail(ErrorCode::bad_value, "differences have {} bits, expected at most 64", width);
      const Bytes packed = EMBD_TRY(in_.bytes(part_size / 8 * width, differences));
      const std::uint64_t wanted = std::min(part_size, count_ - numbers_.size());
      for (std::uint64_t j = 0; j < wanted; ++j) {
        last_ += least + unpack(packed, j, width);
        numbers_.push_back(static_cast<std::int64_t>(last_));
      }
    }
    return {};
  }

  ByteReader& in_;
  const std::uint64_t count_;
  std::uint64_t last_ = 0;  // unsigned, because sums may overflow
  std::vector<std::int64_t> numbers_;
};

/// Cuts strings of these lengths from the rest of `in`.
Result<std::vector<std::string_view>> cut(ByteReader& in, std::span<const std::int64_t> lengths) {
  std::vector<std::string_view> strings;
  strings.reserve(lengths.size());
  for (const std::int64_t length : lengths) {
    if (length < 0) return fail(ErrorCode::bad_value, "a string has the length {}", length);
    strings.push_back(as_text(EMBD_TRY(in.bytes(static_cast<std::uint64_t>(length), "a string"))));
  }
  return strings;
}

/// Reads strings behind their lengths.
Result<std::vector<std::string_view>> read_cut(ByteReader& in, std::uint64_t count) {
  const std::vector<std::int64_t> lengths = EMBD_TRY(read_differences(in, count));
  return cut(in, lengths);
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

Result<HybridReader::Run> HybridReader::next() {
  if (num_packed_ == 0) return begin();
  --num_packed_;
  return Run{EMBD_TRY(packed()), 1};
}

/// Reads the header of a run or of packed groups, and what follows it: a number.
Result<HybridReader::Run> HybridReader::begin() {
  const std::uint64_t header = EMBD_TRY(read_varint(in_, run));
  const std::uint64_t length = header >> 1;
  if (length == 0)
    return fail(ErrorCode::bad_count,
                "a run of encoded numbers is empty, expected at least one number");
  if ((header & 1) != 0) {
    constexpr std::uint64_t most_groups = std::uint64_t{1} << 32;
    num_packed_ = std::min(length, most_groups) * 8;
    num_bits_ = 0;
    bits_ = 0;
    return next();
  }
  std::uint32_t value = 0;
  for (unsigned byte = 0; byte < (width_ + 7) / 8; ++byte)
    value |= std::uint32_t{EMBD_TRY(in_.u8(run))} << (8 * byte);
  return Run{value, length};
}

/// Returns the next packed number, from the lowest bit on. A writer may leave out unused bytes of
/// the last group.
Result<std::uint32_t> HybridReader::packed() {
  for (; num_bits_ < width_; num_bits_ += 8)
    bits_ |= std::uint64_t{EMBD_TRY(in_.u8(run))} << num_bits_;
  const auto value = static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << width_) - 1));
  bits_ >>= width_;
  num_bits_ -= width_;
  return value;
}

unsigned bits_for(std::uint32_t most) noexcept {
  return static_cast<unsigned>(std::bit_width(most));
}

Result<std::vector<std::int64_t>> read_differences(ByteReader& in, std::uint64_t count) {
  return Differences(in, count).read();
}

Result<Strings> read_plain_strings(Bytes bytes, std::uint64_t count) {
  ByteReader in(bytes);
  Strings strings;
  strings.views.reserve(std::min<std::uint64_t>(count, bytes.size() / sizeof(std::uint32_t)));
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t size = EMBD_TRY(in.u32("a string's length"));
    strings.views.push_back(as_text(EMBD_TRY(in.bytes(size, "a string"))));
  }
  if (in.remaining() == 0) return strings;
  return fail(ErrorCode::trailing_bytes, "{} bytes follow the last string of a page, expected none",
              in.remaining());
}

Result<Strings> read_strings_with_lengths(Bytes bytes, std::uint64_t count) {
  ByteReader in(bytes);
  Strings strings;
  strings.views = EMBD_TRY(read_cut(in, count));
  return strings;
}

Result<Strings> read_strings_with_prefixes(Bytes bytes, std::uint64_t count) {
  ByteReader in(bytes);
  const std::vector<std::int64_t> prefixes = EMBD_TRY(read_differences(in, count));
  const std::vector<std::string_view> rests = EMBD_TRY(read_cut(in, count));
  std::uint64_t total = 0;
  std::uint64_t before = 0;  // the length of the string before
  for (std::size_t i = 0; i < rests.size(); ++i) {
    const auto prefix = static_cast<std::uint64_t>(prefixes[i]);
    if (prefix > before)
      return fail(ErrorCode::bad_value,
                  "a string shares {} bytes with the string before, which has {}", prefixes[i],
                  before);
    before = prefix + rests[i].size();
    total += before;
    if (total > most_page_bytes)
      return fail(ErrorCode::unsupported, "the strings of a page have more than {} bytes",
                  most_page_bytes);
  }
  Strings strings;
  strings.owned.resize(total);
  strings.views.reserve(count);
  const std::span<std::byte> owned = strings.owned;
  std::string_view last;
  std::size_t end = 0;
  for (std::size_t i = 0; i < rests.size(); ++i) {
    const std::size_t begin = end;
    for (const std::string_view part :
         {last.substr(0, static_cast<std::size_t>(prefixes[i])), rests[i]}) {
      std::ranges::copy(as_bytes(part), owned.begin() + static_cast<std::ptrdiff_t>(end));
      end += part.size();
    }
    last = as_text(owned.subspan(begin, end - begin));
    strings.views.push_back(last);
  }
  return strings;
}

void append_streams(Bytes values, std::size_t width, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size());
  const std::span streams = std::span(out).subspan(begin);
  const std::size_t count = values.size() / width;
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) streams[byte * count + i] = values[i * width + byte];
}

std::vector<std::byte> join_streams(Bytes streams, std::size_t width) {
  std::vector<std::byte> values(streams.size());
  const std::size_t count = streams.size() / width;
  for (std::size_t byte = 0; byte < width; ++byte)
    for (std::size_t i = 0; i < count; ++i) values[i * width + byte] = streams[byte * count + i];
  return values;
}

}  // namespace embd::parquet
