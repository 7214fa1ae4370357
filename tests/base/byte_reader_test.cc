#include "base/bytes.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(ByteReader, ReadsLittleEndianFieldsInOrder) {
  const std::string_view file("\x01\x02\x03\x04\x05\x06\x07\x08\x09", 9);
  ByteReader reader(as_bytes(file));
  EXPECT_EQ(reader.u8("a"), 0x01);
  EXPECT_EQ(reader.u16("b"), 0x0302);
  EXPECT_EQ(reader.u32("c"), 0x07060504U);
  EXPECT_EQ(reader.remaining(), 2U);
  EXPECT_EQ(reader.offset(), 7U);
}

TEST(ByteReader, AFailedReadNamesFieldAndOffsetAndMovesNothing) {
  ByteReader reader(as_bytes("abc"), 100);
  ASSERT_TRUE(reader.skip(1, "head"));
  const auto value = reader.u32("row count");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), ErrorCode::file_too_short);
  EXPECT_EQ(value.error().offset(), 101U);
  EXPECT_EQ(value.error().message(),
            "byte 101: file too short: row count takes 4 bytes, but only 2 are left");
  EXPECT_EQ(reader.remaining(), 2U);
}

TEST(ByteReader, AnArrayWhoseSizeWrapsIsRefused) {
  ByteReader reader(as_bytes("abcdefgh"));
  EXPECT_FALSE(reader.array(std::uint64_t{1} << 62, 8, "rows"));
  EXPECT_TRUE(reader.array(2, 4, "rows"));
}

TEST(ByteReader, TextMustBeUtf8) {
  ByteReader reader(as_bytes("ok\xff"), 10);
  const auto text = reader.text(3, "name");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(text.error().offset(), 12U);
}

}  // namespace
}  // namespace embd
