#include "formats/vectors/parquet/pages.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/vectors/parquet/compact_protocol.h"

namespace embd::parquet {
namespace {

TEST(Hybrid, RunsAndPackedGroupsComeBack) {
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> all;
    for (const int value : values) all.push_back(static_cast<std::byte>(value));
    return all;
  };
  using Numbers = std::vector<std::uint32_t>;
  /// The first `count` numbers; none if there are fewer.
  const auto read = [](const std::vector<std::byte>& from, unsigned width, std::size_t count) {
    HybridReader in(from, width);
    Numbers numbers;
    while (numbers.size() < count) {
      const auto run = in.next();
      if (!run) return Numbers{};
      numbers.insert(numbers.end(), std::min(run->length, count - numbers.size()), run->value);
    }
    return numbers;
  };
  EXPECT_EQ(read(bytes({5 << 1, 3}), 2, 5), (Numbers{3, 3, 3, 3, 3}));
  // 0 to 7 in three bits each, as Parquet's description has them.
  EXPECT_EQ(read(bytes({3, 0x88, 0xC6, 0xFA}), 3, 8), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(read(bytes({3, 0x88, 0xC6, 0xFA, 2 << 1, 1}), 3, 10),
            (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 1, 1}));
  EXPECT_EQ(read(bytes({4 << 1, 0, 1}), 9, 4), (Numbers{256, 256, 256, 256}));
  EXPECT_EQ(read(bytes({4 << 1}), 0, 4), (Numbers{0, 0, 0, 0}));
  EXPECT_TRUE(read(bytes({5 << 1, 3}), 2, 6).empty());
  EXPECT_TRUE(read(bytes({3, 0x88}), 3, 8).empty());
  EXPECT_TRUE(read(bytes({0, 0}), 3, 8).empty());
  EXPECT_TRUE(read({}, 3, 1).empty());
}

/// Packs differences as DELTA_BINARY_PACKED has them: blocks of 128 in four parts of 32.
std::vector<std::byte> packed_differences(std::span<const std::int64_t> numbers) {
  ByteWriter out;
  write_varint(out, 128);
  write_varint(out, 4);
  write_varint(out, numbers.size());
  write_signed_varint(out, numbers.empty() ? 0 : numbers[0]);
  for (std::size_t first = 1; first < numbers.size(); first += 128) {
    const std::size_t count = std::min<std::size_t>(128, numbers.size() - first);
    std::vector<std::uint64_t> differences;
    std::int64_t least = INT64_MAX;
    for (std::size_t i = first; i < first + count; ++i) {
      differences.push_back(static_cast<std::uint64_t>(numbers[i]) -
                            static_cast<std::uint64_t>(numbers[i - 1]));
      least = std::min(least, static_cast<std::int64_t>(differences.back()));
    }
    write_signed_varint(out, least);
    for (int part = 0; part < 4; ++part) out.u8(64);  // as they are, in 64 bits
    differences.resize((count + 31) / 32 * 32, static_cast<std::uint64_t>(least));
    for (const std::uint64_t difference : differences)
      out.u64(difference - static_cast<std::uint64_t>(least));
  }
  return {out.view().begin(), out.view().end()};
}

TEST(Differences, NumbersComeBackOrAreTooFew) {
  std::vector<std::int64_t> numbers = {0, INT64_MAX, INT64_MIN, -1, 1};
  for (std::int64_t i = 0; i < 300; ++i) numbers.push_back(i * i - 1000);
  for (const std::size_t count : {0, 1, 2, 5, 129, 130, 305}) {
    const auto packed = packed_differences(std::span(numbers).first(count));
    ByteReader in(packed);
    const auto found = read_differences(in, count);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_TRUE(std::ranges::equal(*found, std::span(numbers).first(count)));
    EXPECT_EQ(in.remaining(), 0);
    ByteReader other(packed);
    EXPECT_EQ(read_differences(other, count + 1).error().code(), ErrorCode::bad_count);
    for (std::size_t size = 0; size < packed.size(); size += 7) {
      ByteReader cut(Bytes(packed).first(size));
      EXPECT_FALSE(read_differences(cut, count)) << size;
    }
  }
}

TEST(Differences, NumbersOfFewBitsAreUnpackedFromTheLowestBitOn) {
  // parquet.thrift's example: 7, 5, 3, 1, 2, 3, 4, 5, with one part of three bits a number.
  ByteWriter out;
  for (const std::uint64_t number : {8, 1, 8}) write_varint(out, number);
  write_signed_varint(out, 7);
  write_signed_varint(out, -2);
  for (const int byte : {2, 0xC0, 0x3F}) out.u8(static_cast<std::uint8_t>(byte));
  ByteReader in(out.view());
  EXPECT_EQ(read_differences(in, 8).value(), (std::vector<std::int64_t>{7, 5, 3, 1, 2, 3, 4, 5}));
}

TEST(Differences, StringsShareTheirBeginnings) {
  const auto with_prefixes = [](std::vector<std::int64_t> prefixes,
                                std::vector<std::int64_t> lengths, std::string_view rest) {
    ByteWriter out;
    out.bytes(packed_differences(prefixes));
    out.bytes(packed_differences(lengths));
    out.text(rest);
    return std::vector(out.view().begin(), out.view().end());
  };
  const auto bytes = with_prefixes({0, 2, 0, 3}, {4, 2, 0, 1}, "axislex");
  EXPECT_FALSE(read_strings_with_prefixes(bytes, 4));  // "" has no three bytes to share
  const auto good = with_prefixes({0, 2, 3, 0}, {4, 2, 1, 0}, "axislex");
  EXPECT_EQ(read_strings_with_prefixes(good, 4).value().views,
            (std::vector<std::string_view>{"axis", "axle", "axlx", ""}));
  EXPECT_FALSE(read_strings_with_prefixes(with_prefixes({0, -1}, {1, 1}, "ab"), 2));
  EXPECT_FALSE(read_strings_with_prefixes(with_prefixes({0, 1}, {1, -1}, "ab"), 2));
  EXPECT_FALSE(read_strings_with_prefixes(with_prefixes({0, 1}, {1, 2}, "ab"), 2));
  // Each string is the one before and one byte: 2^33 bytes of 2^17.
  const std::int64_t count = 1 << 17;
  std::vector<std::int64_t> growing(count);
  for (std::int64_t i = 0; i < count; ++i) growing[static_cast<std::size_t>(i)] = i;
  const auto huge =
      with_prefixes(growing, std::vector<std::int64_t>(count, 1), std::string(count, 'x'));
  EXPECT_EQ(read_strings_with_prefixes(huge, count).error().code(), ErrorCode::unsupported);
}

TEST(Snappy, LiteralsAndCopiesComeBack) {
  const auto block = [](const std::string& text) { return as_bytes(text); };
  const auto text = [](const Result<std::vector<std::byte>>& bytes) {
    return bytes ? std::string(as_text(*bytes)) : bytes.error().message();
  };
  using namespace std::string_literals;
  EXPECT_EQ(text(decompress_page(Codec::snappy,
                                 block("\x04\x0c"
                                       "abcd"s),
                                 4)),
            "abcd");
  // "ab", then six bytes from two before: a copy over itself.
  EXPECT_EQ(text(decompress_page(Codec::snappy,
                                 block("\x08\x04"
                                       "ab\x09\x02"s),
                                 8)),
            "abababab");
  EXPECT_EQ(text(decompress_page(Codec::snappy,
                                 block("\x08\x04"
                                       "ab\x16\x02\x00"s),
                                 8)),
            "abababab");
  EXPECT_EQ(text(decompress_page(Codec::snappy, block("\x46\xf0\x45"s + std::string(70, 'x')), 70)),
            std::string(70, 'x'));
  for (const auto& bad : {""s, "\x04"s,
                          "\x04\x0c"
                          "abc"s,
                          "\x05\x0c"
                          "abcd"s,
                          "\x08\x04"
                          "ab\x09\x03"s,
                          "\x08\x04"
                          "ab\x09\x00"s,
                          "\x06\x04"
                          "ab\x09\x02"s})
    EXPECT_EQ(decompress_page(Codec::snappy, block(bad), 8).error().code(),
              ErrorCode::compression_failed);
}

TEST(Lz4, LiteralsAndCopiesComeBackAndHadoopsSizesAreKnown) {
  using namespace std::string_literals;
  const auto read = [](Codec codec, const std::string& block, std::size_t size) {
    const auto page = decompress_page(codec, as_bytes(block), size);
    return page ? std::string(as_text(*page)) : page.error().message();
  };
  const std::string letters =
      "\x40"
      "abcd"s;
  EXPECT_EQ(read(Codec::lz4_raw, letters, 4), "abcd");
  // "ab", six bytes from two before, "z".
  const std::string copies =
      "\x22"
      "ab\x02\x00\x10z"s;
  EXPECT_EQ(read(Codec::lz4_raw, copies, 9), "ababababz");
  EXPECT_EQ(read(Codec::lz4_raw, "\xf0\x37"s + std::string(70, 'x'), 70), std::string(70, 'x'));
  // 15 + 4 + 255 + 1 bytes from one before, and no literal behind them.
  EXPECT_EQ(read(Codec::lz4_raw, "\x1fx\x01\x00\xff\x01\x00"s, 276), std::string(276, 'x'));
  EXPECT_EQ(read(Codec::lz4, letters, 4), "abcd");
  const std::string framed = "\0\0\0\x0d\0\0\0\x05"s + letters + "\0\0\0\x07"s + copies;
  EXPECT_EQ(read(Codec::lz4, framed, 13), "abcdababababz");
  for (const auto& bad : {""s, "\x40"s,
                          "\x40"
                          "abc"s,
                          "\x50"
                          "abcde"s,
                          "\x22"
                          "ab\x03\x00"s,
                          "\x22"
                          "ab\x00\x00"s,
                          "\x22"
                          "ab\x02"s,
                          "\xf0\xff"s}) {
    for (const Codec codec : {Codec::lz4, Codec::lz4_raw})
      EXPECT_EQ(decompress_page(codec, as_bytes(bad), 4).error().code(),
                ErrorCode::compression_failed);
  }
}

TEST(CompactProtocol, NumbersOfEverySizeAndFarFieldsComeBack) {
  CompactWriter out;
  const std::vector<std::int64_t> numbers = {0, 1, -1, 63, -64, 64, INT64_MAX, INT64_MIN};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    out.i64(static_cast<std::int16_t>(1 + i * 40), numbers[i]);
  CompactReader in{ByteReader(out.finish())};
  std::vector<std::int64_t> found;
  ASSERT_TRUE(in.for_each_field("all", [&](CompactReader::Field field) -> Result<void> {
    EXPECT_EQ(field.number, 1 + found.size() * 40);
    found.push_back(in.integer(field, "number").value());
    return {};
  }));
  EXPECT_EQ(found, numbers);
}

TEST(CompactProtocol, AStructInAStructDoesNotEndTheStack) {
  std::string bytes(100'000, '\x1C');  // field 1, a struct, again and again
  CompactReader in{ByteReader(as_bytes(bytes))};
  const auto read = in.for_each_field(
      "outermost", [&](CompactReader::Field field) { return in.skip(field.type); });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::unsupported);
}

TEST(Pages, StreamsJoinToWhatWasSplit) {
  std::vector<std::byte> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::byte>(i);
  for (const std::size_t width : {2U, 4U, 8U}) {
    std::vector<std::byte> streams = {std::byte{99}};
    append_streams(values, width, streams);
    EXPECT_EQ(streams[0], std::byte{99});
    EXPECT_EQ(streams[2], static_cast<std::byte>(width));
    EXPECT_EQ(join_streams(Bytes(streams).subspan(1), width), values);
  }
}

}  // namespace
}  // namespace embd::parquet
