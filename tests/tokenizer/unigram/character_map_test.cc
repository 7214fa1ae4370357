#include "tokenizer/unigram/normalizer.h"

#include <gtest/gtest.h>

#include "tests/tokenizer/unigram/character_map_bytes.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"
#include "tokenizer/double_array.h"

namespace embd::unigram {
namespace {

using testing::character_map_bytes;

Error error_of(std::string_view bytes) {
  const auto map = CharacterMap::create(as_bytes(bytes));
  EXPECT_FALSE(map);
  return map ? Error(ErrorCode::cancelled, "none") : map.error();
}

TEST(CharacterMap, TakesTheShortestKey) {
  const std::string bytes =
      character_map_bytes({{"ab", "1"}, {"abc", "2"}, {"x", ""}, {"\u00e9", "e\u0301"}});
  const CharacterMap map = CharacterMap::create(as_bytes(bytes)).value();
  EXPECT_EQ(map.replacement("ab"), "1");
  EXPECT_EQ(map.replacement("abc"), "1");
  EXPECT_EQ(map.replacement("abd"), "1");
  EXPECT_EQ(map.replacement("xyz"), "");
  EXPECT_EQ(map.replacement("\u00e9"), "e\u0301");
  EXPECT_EQ(map.replacement("a"), std::nullopt);
  EXPECT_EQ(map.replacement(""), std::nullopt);
  EXPECT_EQ(map.replacement(std::string_view("\0ab", 3)), std::nullopt);
}

TEST(CharacterMap, LeavesEverythingWhereThereIsNone) {
  EXPECT_EQ(CharacterMap().replacement("a"), std::nullopt);
  const std::string bytes(4, '\0');
  EXPECT_EQ(CharacterMap::create(as_bytes(bytes)).value().replacement("a"), std::nullopt);
}

TEST(CharacterMap, ReadsSentencePiecesOwn) {
  const std::string_view bytes = testing::golden_tokenizer_json().character_map();
  const CharacterMap map = CharacterMap::create(as_bytes(bytes)).value();
  EXPECT_EQ(bytes.size(), 240007U);
  EXPECT_EQ(map.replacement("\u2122"), "TM");
  EXPECT_EQ(map.replacement("\u2581"), " ");
  EXPECT_EQ(map.replacement("\u0001"), "");
  EXPECT_EQ(map.replacement("a\u0306"), "\u0103");
  EXPECT_EQ(map.replacement("a"), std::nullopt);
  EXPECT_EQ(map.replacement("\U0001f600"), std::nullopt);
}

TEST(CharacterMap, RefusesAnIncompleteOne) {
  EXPECT_EQ(error_of("").code(), ErrorCode::file_too_short);
  EXPECT_EQ(error_of("abc").code(), ErrorCode::file_too_short);
  EXPECT_EQ(error_of(std::string("\x08\0\0\0abcd", 8)).code(), ErrorCode::file_too_short);
  const Error odd = error_of(std::string("\x05\0\0\0abcde", 9));
  EXPECT_EQ(odd.code(), ErrorCode::bad_value);
  EXPECT_EQ(odd.offset(), 0U);
}

TEST(CharacterMap, RefusesStringsThatAreNotUtf8) {
  const Error error = error_of(character_map_bytes({}, std::string("ok\0\xff\0", 5)));
  EXPECT_EQ(error.code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(error.offset(), 4U + 3U);
}

TEST(CharacterMap, RefusesAVeryLongString) {
  const std::string longest(CharacterMap::max_replacement, 'x');
  EXPECT_TRUE(CharacterMap::create(as_bytes(character_map_bytes({{"a", longest}}))));
  const Error error = error_of(character_map_bytes({{"b", "c"}, {"a", longest + "x"}}));
  EXPECT_EQ(error.code(), ErrorCode::bad_value);
  EXPECT_NE(error.what().find("256 bytes, expected at most 255"), std::string::npos);
  EXPECT_TRUE(error.offset().has_value());
}

TEST(CharacterMap, RefusesNumbersThatLeadNowhere) {
  // The unit of "a" at 97 ends a key, whose number is beside it at `base`.
  std::vector<std::uint32_t> units(256);
  const std::uint32_t ends = DoubleArray::ends_key_bit;
  const auto with = [&](std::uint32_t base, std::uint32_t number) {
    std::vector<std::uint32_t> changed = units;
    changed['a'] = 'a' | ends | ('a' ^ base) << 10;
    if (base < changed.size()) changed[base] = DoubleArray::number_bit | number;
    return character_map_bytes(changed, std::string("\u00e9\0x\0", 5));
  };
  EXPECT_TRUE(CharacterMap::create(as_bytes(with(98, 3))));
  const Error outside = error_of(with(256, 0));
  EXPECT_EQ(outside.code(), ErrorCode::bad_value);
  EXPECT_EQ(outside.offset(), (97U + 1U) * 4U);
  EXPECT_EQ(error_of(with(98, 5)).code(), ErrorCode::bad_value);
  EXPECT_NE(error_of(with(98, 1)).what().find("where no character begins"), std::string::npos);
}

}  // namespace
}  // namespace embd::unigram
