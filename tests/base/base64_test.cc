#include "base/base64.h"

#include <gtest/gtest.h>

namespace embd {
namespace {

TEST(Base64, DecodesTheExamplesOfTheStandard) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decode_base64("+/+/"), "\xfb\xff\xbf");
}

TEST(Base64, EncodesWhatItDecodes) {
  for (const char* text : {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYmFy", "+/+/"})
    EXPECT_EQ(encode_base64(*decode_base64(text)), text);
}

TEST(Base64, IsAppended) {
  std::string text = "data:";
  append_base64(as_bytes("foobar"), text);
  EXPECT_EQ(text, "data:Zm9vYmFy");
  append_base64({}, text);
  append_base64(as_bytes("f"), text);
  EXPECT_EQ(text, "data:Zm9vYmFyZg==");
}

TEST(Base64, RefusesWhatIsNone) {
  for (const char* text :
       {"Z", "Zg", "Zm8", "Zg=", "Z===", "Zm9v=", "Zm 9", "Zm9v\n", "Z-_v", "=Zm9"})
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace embd
