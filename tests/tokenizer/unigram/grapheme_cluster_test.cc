#include "tokenizer/unigram/grapheme_cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "tests/tokenizer/unigram/slow_graphemes.h"

namespace embd::unigram {
namespace {

const testing::SlowGraphemes& slow() {
  static const testing::SlowGraphemes graphemes(EMBD_TEST_DATA
                                                "/unigram/graphemes_unicode17.tsv.gz");
  return graphemes;
}

std::string class_name(char32_t c) {
  using enum GraphemeClass;
  switch (grapheme_class(c)) {
    case other:
      return "Other";
    case carriage_return:
      return "CR";
    case line_feed:
      return "LF";
    case control:
      return "Control";
    case extend:
    case conjunct_mark:
    case linker:
      return "Extend";
    case zero_width_joiner:
      return "ZWJ";
    case spacing_mark:
      return "SpacingMark";
    case prepend:
      return "Prepend";
    case regional_indicator:
      return "Regional_Indicator";
    case hangul_l:
      return "L";
    case hangul_v:
      return "V";
    case hangul_t:
      return "T";
    case hangul_lv:
      return "LV";
    case hangul_lvt:
      return "LVT";
    case pictographic:
      return "Extended_Pictographic";
    case consonant:
      return "InCB_Consonant";
  }
  return "";
}

TEST(GraphemeClass, IsThatOfTheUnicodeDataForEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    ASSERT_EQ(class_name(c), slow().property(c)) << std::hex << static_cast<std::uint32_t>(c);
    ASSERT_EQ(grapheme_class(c) == GraphemeClass::linker, slow().is_linker(c));
    ASSERT_EQ(grapheme_class(c) == GraphemeClass::conjunct_mark ||
                  grapheme_class(c) == GraphemeClass::zero_width_joiner,
              slow().is_conjunct_extend(c));
  }
}

/// Where clusters begin, each after its own start: `restart` at every cut, or never.
std::vector<bool> cuts(std::u32string_view text, bool restart) {
  std::vector<bool> result;
  ClusterBreaks breaks(text.front());
  for (const char32_t c : text.substr(1)) {
    const bool joins = breaks.joins(c);
    if (!joins && restart) breaks = ClusterBreaks(c);
    result.push_back(!joins);
  }
  return result;
}

void check(std::u32string_view text) {
  std::vector<bool> expected;
  for (std::size_t i = 1; i < text.size(); ++i) expected.push_back(slow().breaks(text, i));
  std::string written;
  for (const char32_t c : text) written += class_name(c) + " ";
  EXPECT_EQ(cuts(text, false), expected) << written;
  EXPECT_EQ(cuts(text, true), expected) << written;
}

TEST(ClusterBreaks, KeepsTheExamplesOfTheAnnex) {
  check(U"\r\n\r\n\n\r");
  check(U"e\u0301a\u0301\u0302");
  check(U"\u1100\u1161\u11a8\uac00\u11a8\uac01\u11a8");
  check(U"\u0600e\u0301");
  check(U"\U0001f468\u200d\U0001f469\u200d\U0001f467");
  check(U"\U0001f468\u0308\u200d\U0001f469\u200d\u0308\U0001f467");
  check(U"\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7\U0001f1e9");
  check(U"\u0915\u094d\u0937\u094d\u200d\u0930\u093e\u094d\u0915");
  check(U"\u0915\u093c\u0937\u094d\u200c\u0930");
}

TEST(ClusterBreaks, AgreesWithTheRulesOnRandomTexts) {
  std::map<std::string, std::u32string> by_class;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    std::string name = class_name(c);
    if (slow().is_linker(c)) name = "linker";
    if (grapheme_class(c) == GraphemeClass::extend) name = "extend";
    if (by_class[name].size() < 50) by_class[name] += c;
  }
  EXPECT_EQ(by_class.size(), num_grapheme_classes);
  std::mt19937 random(1);
  std::vector<std::u32string> pools;
  for (const auto& [name, pool] : by_class) pools.push_back(pool);
  for (int round = 0; round < 100000; ++round) {
    // Few classes at a time, so that what needs several of them in a row comes up.
    std::vector<const std::u32string*> chosen(1 + random() % 4);
    for (const auto*& pool : chosen) pool = &pools[random() % pools.size()];
    std::u32string text(2 + random() % 10, U' ');
    for (char32_t& c : text) {
      const std::u32string& pool = *chosen[random() % chosen.size()];
      c = pool[random() % pool.size()];
    }
    check(text);
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace embd::unigram
