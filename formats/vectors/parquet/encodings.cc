#include "formats/vectors/parquet/encodings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/try.h"
#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

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
                  fmt::format("blocks of {} differences have {} parts, expected parts of a "
                              "multiple of 8 differences",
                              block, parts));
    if (total != count_)
      return fail(ErrorCode::bad_count,
                  fmt::format("there are {} packed differences, expected {}", total, count_));
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
        return fail(ErrorCode::bad_value,
                    fmt::format("differences have {} bits, expected at most 64", width));
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
    if (length < 0)
      return fail(ErrorCode::bad_value, fmt::format("a string has the length {}", length));
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
  return fail(
      ErrorCode::trailing_bytes,
      fmt::format("{} bytes follow the last string of a page, expected none", in.remaining()));
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
                  fmt::format("a string shares {} bytes with the string before, which has {}",
                              prefixes[i], before));
    before = prefix + rests[i].size();
    total += before;
    if (total > most_page_bytes)
      return fail(ErrorCode::unsupported,
                  fmt::format("the strings of a page have more than {} bytes", most_page_bytes));
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
