#include "tokenizer/utf8_decode.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <array>
#include <string>
#include <string_view>

namespace embd {
namespace {

DecodedCodePoint decode(std::string_view text) {
  return decode_utf8(text.data(), text.data() + text.size());
}

TEST(DecodeUtf8, ReadsEveryScalarValue) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    std::array<utf8proc_uint8_t, 4> bytes;
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
    const DecodedCodePoint decoded =
        decode({reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size)});
    ASSERT_EQ(decoded.code_point, c);
    ASSERT_EQ(decoded.size, static_cast<std::size_t>(size));
  }
}

TEST(DecodeUtf8, StopsAtTheEndAndBeforeTheNextCodePoint) {
  EXPECT_EQ(decode("\u20acX").size, 3U);
  // A sequence that the end cuts off is malformed although the memory behind it would complete it.
  const std::string_view whole = "\U0001f600";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_EQ(decode(whole.substr(0, size)).code_point, 0xfffdU);
  }
}

TEST(DecodeUtf8, ReplacesWhatIsMalformed) {
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82(",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98(", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(decode(bad).code_point, 0xfffdU) << ::testing::PrintToString(bad);
    EXPECT_EQ(decode(bad).size, 1U);
  }
}

}  // namespace
}  // namespace embd
