#include "formats/vectors/svs/binary_file.h"

#include <gtest/gtest.h>

#include "base/checksum.h"

namespace embd::svs {
namespace {

TEST(Uuid, StoredBytesAreTheTextReversed) {
  const auto uuid = Uuid::parse("d8fc5cfc-7e60-42a4-a7ff-4a88f661dd08");
  ASSERT_TRUE(uuid);
  const std::array<std::uint8_t, 16> expected = {0x08, 0xdd, 0x61, 0xf6, 0x88, 0x4a, 0xff, 0xa7,
                                                 0xa4, 0x42, 0x60, 0x7e, 0xfc, 0x5c, 0xfc, 0xd8};
  EXPECT_EQ(uuid->stored(), expected);
  EXPECT_EQ(Uuid::from_stored(std::as_bytes(std::span(expected))), *uuid);
  EXPECT_EQ(uuid->text(), "d8fc5cfc-7e60-42a4-a7ff-4a88f661dd08");
  EXPECT_EQ(Uuid::parse("D8FC5CFC-7E60-42A4-A7FF-4A88F661DD08"), *uuid);
}

TEST(Uuid, MalformedTextIsRefused) {
  for (const char* text :
       {"", "d8fc5cfc-7e60-42a4-a7ff-4a88f661dd0", "d8fc5cfc-7e60-42a4-a7ff-4a88f661dd081",
        "d8fc5cfc-7e60-42a4-a7ff-4a88f661dd0g", "d8fc5cfc07e60-42a4-a7ff-4a88f661dd08",
        "d8fc5cfc-7e60-42a4-a7ff-4a88f661d-08"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(Uuid, FromADigestIsVersionFour) {
  Sha256 hash;
  hash.update("rows");
  const Uuid uuid = Uuid::from_digest(hash.digest());
  EXPECT_EQ(uuid.text()[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid.text()[19]), std::string::npos);
}

}  // namespace
}  // namespace embd::svs
