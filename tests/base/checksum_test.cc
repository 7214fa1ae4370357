#include "base/checksum.h"

#include <gtest/gtest.h>

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

TEST(Checksum, Sha256InPiecesEqualsWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  EXPECT_EQ(hash.hex(), sha256_hex(as_bytes("abc")));
}

}  // namespace
}  // namespace embd
