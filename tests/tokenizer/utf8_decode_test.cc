#include "base/utf8.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

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
  // A part that could begin a code point is replaced as a whole, every other byte alone.
  constexpr std::pair<std::string_view, std::size_t> parts[] = {{"\x80", 1},
                                                                {"\xbf", 1},
                                                                {"\xc0\x80", 1},
                                                                {"\xc1\xbf", 1},
                                                                {"\xc3(", 1},
                                                                {"\xe0\x9f\xbf", 1},
                                                                {"\xe2\x82(", 2},
                                                                {"\xed\xa0\x80", 1},
                                                                {"\xed\xbf\xbf", 1},
                                                                {"\xf0\x8f\xbf\xbf", 1},
                                                                {"\xf0\x9f\x98(", 3},
                                                                {"\xf4\x90\x80\x80", 1},
                                                                {"\xf5\x80\x80\x80", 1},
                                                                {"\xff", 1}};
  for (const auto& [bad, size] : parts) {
    EXPECT_EQ(decode(bad).code_point, 0xfffdU) << ::testing::PrintToString(bad);
    EXPECT_EQ(decode(bad).size, size) << ::testing::PrintToString(bad);
  }
}

}  // namespace
}  // namespace embd
