#include "tokenizer/unigram/normalized_text.h"

#include <gtest/gtest.h>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tests/tokenizer/unigram/character_map_bytes.h"
#include "tests/tokenizer/unigram/slow_unigram.h"
#include "tests/tokenizer/unigram/tokenizer_json.h"

namespace embd::unigram {
namespace {

using testing::to_utf8;

const Normalizer& nmt_nfkc() {
  static const Normalizer normalizer(
      CharacterMap::create(as_bytes(testing::golden_tokenizer_json().character_map())).value());
  return normalizer;
}

std::string normalize(const Normalizer& normalizer, std::string_view text) {
  NormalizedText reader(normalizer, text);
  std::string normalized;
  const char* end = text.data();  // of the last source
  for (NormalizedCharacter c; reader.next(c);) {
    normalized += c.text;
    EXPECT_GE(c.source.data() + c.source.size(), end);
    end = c.source.data() + c.source.size();
    EXPECT_LE(end, text.data() + text.size());
  }
  return normalized;
}

std::string normalize(std::u32string_view text) {
  return normalize(nmt_nfkc(), to_utf8(text));
}

TEST(NormalizedText, TakesTheShortestKeyOfAShortCluster) {
  EXPECT_EQ(normalize(U"e\u0301"), to_utf8(U"\u00e9"));
  EXPECT_EQ(normalize(U"a\u0306\u0301"), to_utf8(U"\u0103"));
  EXPECT_EQ(normalize(U"a\u0323\u0302"), to_utf8(U"\u1ea1"));
  EXPECT_EQ(normalize(U"\uff21\u0301"), "A");
  EXPECT_EQ(normalize(U"\u2122\u0301"), "TM");
  EXPECT_EQ(normalize(U"\r\n"), " ");
  EXPECT_EQ(normalize(U"x\re\u0301"), to_utf8(U"x \u00e9"));
}

TEST(NormalizedText, TakesTheCodePointsOfALongClusterOneByOne) {
  EXPECT_EQ(normalize(U"\u1100\u1161\u11a8"), to_utf8(U"\u1100\u1161\u11a8"));
  EXPECT_EQ(normalize(U"\u304b\u3099"), to_utf8(U"\u304b\u3099"));
  EXPECT_EQ(normalize(U"\u0600e\u0301"), to_utf8(U"\u0600e\u0301"));
  EXPECT_EQ(normalize(U"\uff21\u0301\u0301"), to_utf8(U"A\u0301\u0301"));
}

TEST(NormalizedText, KeepsRemovesAndReplaces) {
  EXPECT_EQ(normalize(U"plain text"), "plain text");
  EXPECT_EQ(normalize(U"\u0001a\u007fb\u009f"), "ab");
  EXPECT_EQ(normalize(U"a\u00a0b\u3000c\u200bd\u2581"), "a b c d ");
  EXPECT_EQ(normalize(U"\u0085\u00ad\u200d\U0001f600\ue000"),
            to_utf8(U"\u0085\u00ad\u200d\U0001f600\ue000"));
  EXPECT_EQ(normalize(std::u32string_view(U"a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(normalize(U""), "");
}

TEST(NormalizedText, ReadsEachMalformedPartAsOneReplacementCharacter) {
  EXPECT_EQ(normalize(nmt_nfkc(),
                      "a\xff\xfe"
                      "b"),
            "a  b");
  EXPECT_EQ(normalize(nmt_nfkc(),
                      "a\xe2\x82"
                      "b"),
            "a b");
  // With U+0301, it is a cluster that becomes a space as a whole.
  EXPECT_EQ(normalize(nmt_nfkc(),
                      "a\xe2\x82\xcc\x81"
                      "b"),
            "a b");
  const Normalizer none{CharacterMap()};
  EXPECT_EQ(normalize(none, "a\xf0\x9f\x98"), "a\ufffd");
  EXPECT_EQ(normalize(none, "\xed\xa0\x80\xcc\x81"), "\ufffd\ufffd\ufffd\u0301");
}

TEST(NormalizedText, GivesEveryCodePointInThreeSurroundingsWhatTheRealOneGives) {
  const std::string table = testing::read_gzip(EMBD_TEST_DATA "/unigram/code_points.tsv.gz");
  std::size_t checked = 0;
  for (const std::string_view line : testing::split(table, '\n')) {
    if (line.starts_with('#')) continue;
    const auto fields = testing::split(line, '\t');
    ASSERT_EQ(fields.size(), 5U);
    const auto number = [](std::string_view hex) {
      return static_cast<char32_t>(std::stoul(std::string(hex), nullptr, 16));
    };
    for (char32_t c = number(fields[0]); c <= number(fields[1]); ++c, ++checked) {
      const std::array<std::u32string, 3> texts = {std::u32string{c}, std::u32string{U'a', c, U'b'},
                                                   std::u32string{c, U'\u0301'}};
      for (std::size_t i = 0; i < texts.size(); ++i) {
        std::u32string expected;
        if (fields[2 + i] == "=") {
          expected = texts[i];
        } else if (fields[2 + i] != "-") {
          for (const auto code : testing::split(fields[2 + i], ' ')) expected += number(code);
        }
        ASSERT_EQ(normalize(texts[i]), to_utf8(expected)) << line << ", surrounding " << i;
      }
    }
  }
  EXPECT_EQ(checked, 0x110000U - 0x800U);
}

/// Keys that begin where plain characters end: a letter and a mark, a mark alone, a space.
TEST(NormalizedText, LooksAtWhatFollowsALetter) {
  const std::string bytes = testing::character_map_bytes(
      {{"e\u0301", "E"}, {"\u0301", "-"}, {" \u0301", "_"}, {"\u0431", "B"}});
  const Normalizer normalizer(CharacterMap::create(as_bytes(bytes)).value());
  EXPECT_EQ(normalize(normalizer, "cafe\u0301s"), "cafEs");
  EXPECT_EQ(normalize(normalizer, "cafa\u0301s"), "cafa-s");
  EXPECT_EQ(normalize(normalizer, "e \u0301e"), "e_e");
  EXPECT_EQ(normalize(normalizer, "\u0430\u0431\u0432"), "\u0430B\u0432");
  EXPECT_EQ(normalize(normalizer, "e\u0301\u0301\u0301\u0301"), "e----");
}

}  // namespace
}  // namespace embd::unigram
