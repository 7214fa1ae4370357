#include "base/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace embd {
namespace {

TEST(Checksum, KnownValues) {
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xcbf43926U);
  EXPECT_EQ(crc32(as_bytes("6789"), crc32(as_bytes("12345"))), 0xcbf43926U);
  EXPECT_EQ(crc32({}), 0U);
  EXPECT_EQ(crc32({}, 0xcbf43926U), 0xcbf43926U);
  EXPECT_EQ(fnv1a32(""), 2166136261U);
  EXPECT_EQ(fnv1a32("a"), 0xe40c292cU);
  EXPECT_EQ(sha256_hex(as_bytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

/// A bit at a time.
std::uint32_t plain_crc32(Bytes bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1U ? 0xedb88320U : 0U);
  }
  return ~crc;
}

TEST(Checksum, Crc32OfEveryLengthAndAlignment) {
  std::vector<std::byte> bytes(1200);
  std::uint32_t random = 1;
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>((random = random * 1664525U + 1013904223U) >> 24);
  for (std::size_t size = 0; size < 1100; ++size) {
    const Bytes part = Bytes(bytes).subspan(size % 17, size);
    EXPECT_EQ(crc32(part), plain_crc32(part, 0)) << size;
    EXPECT_EQ(crc32(part, 0x12345678U), plain_crc32(part, 0x12345678U)) << size;
  }
}

TEST(Checksum, Sha1OfTheExampleOfTheStandardInPieces) {
  Sha1 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.hex(), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Checksum, ComparisonFindsEachBit) {
  std::array<std::byte, 32> a = {};
  const std::array<std::byte, 32> zeros = {};
  EXPECT_TRUE(equal_in_constant_time(a, zeros));
  for (std::byte& byte : a) {
    for (int bit = 0; bit < 8; ++bit) {
      byte = std::byte{1} << bit;
      EXPECT_FALSE(equal_in_constant_time(a, zeros));
    }
    byte = {};
  }
  EXPECT_TRUE(equal_in_constant_time({}, {}));
}

TEST(Checksum, Sha256InPiecesEqualsWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.hex(), sha256_hex(as_bytes("abc")));
}

}  // namespace
}  // namespace embd
