// The terms of texts, rule by rule as docs/formats/terms.md has them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "embd/terms.h"
#include "index/terms/stemmer.h"
#include "tests/support/stemmer.h"

namespace embd {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string> stems(std::string_view text) {
  return terms(text).value().texts;
}
std::vector<std::string> words(std::string_view text) {
  return terms(text, {.kind = TermKind::words}).value().texts;
}
/// Returns the bytes of the text that each term comes from.
std::vector<std::string> sources(std::string_view text) {
  std::vector<std::string> found;
  const Terms all = terms(text, {.kind = TermKind::words}).value();
  for (const auto& [begin, end] : all.ranges) found.emplace_back(text.substr(begin, end - begin));
  return found;
}

TEST(Terms, AreRunsOfLettersMarksAndDigits) {
  EXPECT_EQ(words("One, two;three (4) – five!"), Words({"one", "two", "three", "4", "five"}));
  EXPECT_EQ(words("नमस्ते दुनिया"), Words({"नमस्ते", "दुनिया"}));
  EXPECT_EQ(words("  \t\r\n . ' - "), Words({}));
  EXPECT_EQ(words(""), Words({}));
}

TEST(Terms, KeepApostrophesAndDotsOfNumbersAndAbbreviations) {
  EXPECT_EQ(words("don't don’t 3.14 192.168.0.1 U.S.A. e.g. 'quoted'"),
            Words({"don't", "don't", "3.14", "192.168.0.1", "u.s.a", "e.g", "quoted"}));
}

TEST(Terms, OfIdentifiersAreTheWholeAndTheParts) {
  EXPECT_EQ(words("EMBD_KERNELS"), Words({"embd_kernels", "embd", "kernels"}));
  EXPECT_EQ(words("search.md"), Words({"search.md", "search", "md"}));
  EXPECT_EQ(words("v1.2-rc"), Words({"v1.2-rc", "v1.2", "rc"}));
  EXPECT_EQ(words("CVE-2024-31"), Words({"cve-2024-31", "cve", "2024", "31"}));
  EXPECT_EQ(words("a.txt"), Words({"a.txt", "a", "txt"}));
  EXPECT_EQ(words("__init__"), Words({"init"}));
  EXPECT_EQ(words("a__b"), Words({"a", "b"}));
}

TEST(Terms, OfWordsThatOnlyHyphensOrSlashesJoinAreTheWords) {
  EXPECT_EQ(words("well-known and/or"), Words({"well", "known", "and", "or"}));
  EXPECT_EQ(words("well‐known"), Words({"well", "known"}));
}

TEST(Terms, OfWordsWithInnerCapitalsAreTheWholeAndTheParts) {
  EXPECT_EQ(words("TermIndex"), Words({"termindex", "term", "index"}));
  EXPECT_EQ(words("HTTPServer"), Words({"httpserver", "http", "server"}));
  EXPECT_EQ(words("ÉcoleÉté"), Words({"écoleété", "école", "été"}));
  EXPECT_EQ(words("Word URLs O'Reilly"), Words({"word", "urls", "o'reilly"}));
  EXPECT_EQ(words("TermIndex.search"),
            Words({"termindex.search", "termindex", "term", "index", "search"}));
}

TEST(Terms, OfScriptsWithoutSpacesArePairs) {
  EXPECT_EQ(words("東京"), Words({"東京"}));
  EXPECT_EQ(words("東京タワー"), Words({"東京", "京タ", "タワ", "ワー"}));
  EXPECT_EQ(words("第3章"), Words({"第", "3", "章"}));
  EXPECT_EQ(words("한국어"), Words({"한국", "국어"}));
  EXPECT_EQ(words("ไทย"), Words({"ไท", "ทย"}));
  EXPECT_EQ(words("ລາວ ខ្មែរ"), Words({"ລາ", "າວ", "ខ្", "្ម", "មែ", "ែរ"}));
}

TEST(Terms, AreInOneForm) {
  EXPECT_EQ(words("Ｆｕｌｌ ﬁx ｶﾞ STRASSE Straße ΣΑΣ"),
            Words({"full", "fix", "ガ", "strasse", "strasse", "σασ"}));
  EXPECT_EQ(words("Cafe\xcc\x81 soft\xc2\xadhyphen"), Words({"café", "softhyphen"}));
  // Parts of a Hangul syllable, composed.
  EXPECT_EQ(words("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), Words({"한"}));
}

TEST(Terms, LoseAccentsOnlyForTheStemmer) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  EXPECT_EQ(words("Café"), Words({"café"}));
  EXPECT_EQ(stems("Café naïve"), Words({"cafe", "naiv"}));
  EXPECT_EQ(stems("が नमस्ते"), Words({"が", "नमस्ते"}));
}

TEST(Terms, AreStems) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  EXPECT_EQ(stems("Running dogs' organizations"), Words({"run", "dog", "organ"}));
  EXPECT_EQ(stems("EMBD_KERNELS"), Words({"embd_kernels", "embd", "kernel"}));
  EXPECT_EQ(stems("東京, 大阪"), Words({"東京", "大阪"}));
}

TEST(Terms, LeaveOutStopWordsOnlyForTheStemmer) {
  if (!test::has_stemmer()) GTEST_SKIP() << test::no_stemmer;
  EXPECT_EQ(stems("To be, or not to be: the whole of IT"), Words({"whole"}));
  EXPECT_EQ(stems("the and of"), Words({}));
  EXPECT_EQ(words("the and"), Words({"the", "and"}));
}

TEST(Terms, HaveTheirPlaces) {
  EXPECT_EQ(sources("Un CAFÉ, FooBar"), Words({"Un", "CAFÉ", "FooBar", "Foo", "Bar"}));
  EXPECT_EQ(sources("東京ﾀﾜ"), Words({"東京", "京ﾀ", "ﾀﾜ"}));
  EXPECT_EQ(sources("x a_b"), Words({"x", "a_b", "a", "b"}));
}

TEST(Terms, AreDividedByBytesThatAreNotUtf8) {
  EXPECT_EQ(words("ab\xff"
                  "cd\xe6\x9d"),
            Words({"ab", "cd"}));
}

TEST(Terms, AreNotLongerThan255Bytes) {
  const std::string longest(255, 'a');
  EXPECT_EQ(words(longest + " b"), Words({longest, "b"}));
  EXPECT_EQ(words(longest + "a b"), Words({"b"}));
  EXPECT_EQ(words(longest + "_b"), Words({longest, "b"}));
  // Longer runs are cut, so memory does not grow with a text without spaces.
  EXPECT_EQ(words(std::string(1024, 'a') + "b"), Words({"b"}));
}

TEST(Terms, StayFewForManyMarks) {
  std::string text = "a";
  for (int i = 0; i < 100000; ++i) text += i % 2 == 0 ? "\xcc\x81" : "\xcc\xa3";
  EXPECT_LE(words(text).size(), 100U);
}

TEST(Terms, OfTokensNeedTheModel) {
  const auto found = terms("text", {.kind = TermKind::tokens});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), ErrorCode::invalid_argument);
}

TEST(EnglishStemmer, IsOfTheReleaseThatIndexesName) {
  auto stemmer = EnglishStemmer::create();
  if (!test::has_stemmer()) {
    EXPECT_EQ(stemmer.error().code(), ErrorCode::unsupported);
    EXPECT_EQ(TermIndex::build({}).error().code(), ErrorCode::unsupported);
    GTEST_SKIP() << test::no_stemmer;
  }
  ASSERT_TRUE(stemmer) << stemmer.error().message();
  EXPECT_EQ(stemmer->stem("generalizations"), "general");
  EXPECT_EQ(stemmer->stem("organization"), "organ");
  EXPECT_EQ(stemmer->stem("added"), "ad");
}

}  // namespace
}  // namespace embd
