#include "index/terms/term_finder.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <array>
#include <string>

namespace embd {
namespace {

std::u32string read(std::string_view text) {
  CharacterReader reader(text);
  std::u32string characters;
  while (const auto character = reader.next()) characters += character->code_point;
  return characters;
}

TEST(CharacterReader, BringsEveryCodePointToTheFormNfkc) {
  constexpr auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                          UTF8PROC_COMPOSE | UTF8PROC_IGNORE);
  for (utf8proc_int32_t c = 1; c <= 0x10ffff; ++c) {
    // Two apostrophes and three hyphens are as one: terms_test.cc.
    if ((c >= 0xd800 && c <= 0xdfff) || c == 0x2019 || c == 0x2010 || c == 0x2011) continue;
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto num_bytes = utf8proc_encode_char(c, bytes.data());
    std::array<utf8proc_int32_t, 32> normal{};
    auto size = utf8proc_decompose(bytes.data(), num_bytes, normal.data(), normal.size(), options);
    size = utf8proc_normalize_utf32(normal.data(), size, options);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                static_cast<std::size_t>(num_bytes));
    ASSERT_EQ(read(text), std::u32string(normal.begin(), normal.begin() + size)) << c;
  }
}

TEST(CharacterReader, ComposesWhatStandsTogether) {
  EXPECT_EQ(read("か\u3099"), U"が");
  EXPECT_EQ(read("ｶﾞ"), U"ガ");
  EXPECT_EQ(read("\u1112\u1161\u11ab"), U"한");
  EXPECT_EQ(read("하\u11ab"), U"한");
  EXPECT_EQ(read("e\u0301東"), U"é東");
  EXPECT_EQ(read("東\u00ad京"), U"東京");
}

}  // namespace
}  // namespace embd
