#include "base/os/text_conversion.h"

#include <gtest/gtest.h>

namespace embd::os {
namespace {

TEST(TextConversionTest, ConvertsToUtf8) {
  auto latin1 = TextConversion::from("latin-1");
  ASSERT_TRUE(latin1);
  std::string out = "<";
  const std::string text(10'000, '\xE9');  // longer than what is converted at a time
  EXPECT_EQ(latin1->convert(text, out), text.size());
  EXPECT_EQ(out.size(), 20'001U);
  EXPECT_TRUE(out.starts_with("<é"));
}

TEST(TextConversionTest, StopsAtTheFirstByteOfNoText) {
  auto ascii = TextConversion::from("ascii");
  ASSERT_TRUE(ascii);
  std::string out;
  EXPECT_EQ(ascii->convert("ab\xFFz", out), 2U);
  EXPECT_EQ(out, "ab");
}

TEST(TextConversionTest, AnUnknownNameIsNone) {
  EXPECT_FALSE(TextConversion::from("no-such-encoding"));
}

}  // namespace
}  // namespace embd::os
