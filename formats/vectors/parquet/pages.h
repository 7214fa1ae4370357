#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "embd/error.h"
#include "formats/vectors/parquet/metadata.h"

namespace embd::parquet {

/// Returns the greatest number of bytes that one byte of a compressed page can expand to; 0 for a
/// codec that decompress_page() does not know.
std::uint64_t most_expansion(Codec codec) noexcept;
/// Decompresses a page to `size` bytes. Fails with compression_failed if the page is damaged, and
/// with unsupported for Zstandard in a build without it.
Result<std::vector<std::byte>> decompress_page(Codec codec, Bytes stored, std::size_t size);
/// Compresses a page with Zstandard. Fails with compression_failed or unsupported.
Result<std::vector<std::byte>> compress_page(Bytes page);

// The encodings of levels and values in Parquet's pages. Every function fails with bad_count or
// file_too_short if the bytes hold fewer values than they say, and with bad_value for what the
// encoding cannot be.

/// The greatest number of bytes that a page may have after decompression, and its strings after
/// decoding. No program writes greater ones, and they are in memory at once.
inline constexpr std::uint64_t most_page_bytes = std::uint64_t{1} << 30;

/// Reads numbers of `width` bits, 0 to 32, in Parquet's hybrid encoding: runs of one number, and
/// groups of eight packed numbers. Levels and references to a dictionary have this encoding.
class HybridReader {
 public:
  /// One number, `length` times.
  struct Run {
    std::uint32_t value = 0;
    std::uint64_t length = 0;
  };

  HybridReader(Bytes bytes, unsigned width) : in_(bytes), width_(width) {}
  /// Reads the next run, which has at least one number. Each packed number is a run of its own. The
  /// last run may be longer than what is wanted.
  Result<Run> next();

 private:
  Result<Run> begin();
  Result<std::uint32_t> packed();

  ByteReader in_;
  unsigned width_;
  std::uint64_t num_packed_ = 0;  // the packed numbers that are left of the current groups
  std::uint64_t bits_ = 0;        // read, but not used
  unsigned num_bits_ = 0;
};

/// Returns the number of bits that numbers up to `most` need.
unsigned bits_for(std::uint32_t most) noexcept;

/// Reads `count` numbers that are stored as packed differences (DELTA_BINARY_PACKED). Numbers of
/// 32 bits are in the lower half.
Result<std::vector<std::int64_t>> read_differences(ByteReader& in, std::uint64_t count);

/// Strings, which are in `owned` or in the bytes that were read.
struct Strings {
  std::vector<std::byte> owned;
  std::vector<std::string_view> views;
};

/// Reads `count` strings: each behind its length (PLAIN), all behind their lengths
/// (DELTA_LENGTH_BYTE_ARRAY), or as what they do not share with the string before
/// (DELTA_BYTE_ARRAY).
Result<Strings> read_plain_strings(Bytes bytes, std::uint64_t count);
Result<Strings> read_strings_with_lengths(Bytes bytes, std::uint64_t count);
Result<Strings> read_strings_with_prefixes(Bytes bytes, std::uint64_t count);

/// append_streams() appends `values` of `width` bytes each to `out` as streams: the first bytes of
/// all values, then all second bytes, and so on (BYTE_STREAM_SPLIT). join_streams() turns such
/// streams into values again.
void append_streams(Bytes values, std::size_t width, std::vector<std::byte>& out);
std::vector<std::byte> join_streams(Bytes streams, std::size_t width);

}  // namespace embd::parquet
