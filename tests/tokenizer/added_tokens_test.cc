#include "tokenizer/added_tokens.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/gzip.h"
#include "tests/support/split.h"
#include "tokenizer/aligned_text.h"
#include "tokenizer/unicode_class.h"

namespace embd {
namespace {

/// Returns the parts of a text: each stretch as it is, and each token as its id in brackets.
std::string cut(const std::vector<AddedText>& tokens, std::string_view text) {
  const auto added = AddedTokens::create(tokens);
  if (!added) return added.error().message();
  std::string parts;
  for (AddedTokens::Cuts cuts(*added, text); cuts.next();) {
    parts += cuts.before();
    if (cuts.token() == nullptr) continue;
    parts += "[" + std::to_string(cuts.token()->id) + "]";
    EXPECT_EQ(cuts.token_text(), tokens[static_cast<std::size_t>(cuts.token()->id)].text);
  }
  return parts;
}

TEST(AddedTokens, TheLeftmostIsFoundAndThereTheLongest) {
  const std::vector<AddedText> tokens = {{"<s>", {0}}, {"<s>x", {1}}, {"s>", {2}}};
  EXPECT_EQ(cut(tokens, "a<s>b"), "a[0]b");
  EXPECT_EQ(cut(tokens, "a<s>xb"), "a[1]b");
  EXPECT_EQ(cut(tokens, "as>b<s>"), "a[2]b[0]");
  EXPECT_EQ(cut(tokens, "<<s>"), "<[0]");
  EXPECT_EQ(cut(tokens, "<s"), "<s");
  EXPECT_EQ(cut(tokens, ""), "");
  EXPECT_EQ(cut({}, "<s>"), "<s>");
  EXPECT_EQ(cut({{"<s>", {0}}, {"<t>", {1}}}, "<<t><s>"), "<[1][0]");  // one first byte
}

TEST(AddedTokens, WhiteSpaceBeforeAndBehindBecomesPartOfThem) {
  const std::vector<AddedText> tokens = {
      {"<m>", {.id = 0, .lstrip = true}}, {"<s>", {.id = 1}}, {"<r>", {.id = 2, .rstrip = true}}};
  EXPECT_EQ(cut(tokens, "a \t\u00a0\u3000<m> b"), "a[0] b");
  EXPECT_EQ(cut(tokens, "a <s> b"), "a [1] b");
  EXPECT_EQ(cut(tokens, "a <r> \u3000\nb"), "a [2]b");
  EXPECT_EQ(cut(tokens, "  <m>  "), "[0]  ");
  EXPECT_EQ(cut(tokens, "  <r>  <m>"), "  [2][0]");    // The space belongs to the first of them.
  EXPECT_EQ(cut(tokens, "a\u200b<m>"), "a\u200b[0]");  // no white space
  EXPECT_EQ(cut(tokens, "a\x1f<m>"), "a\x1f[0]");
  EXPECT_EQ(cut(tokens, "a\x85<m>"), "a\x85[0]");  // no UTF-8
  EXPECT_EQ(cut(tokens, "a\xe3\x80<m>"), "a\xe3\x80[0]");
}

/// The search goes on behind a token's own text, as in `tokenizers`.
TEST(AddedTokens, ATokenOfWhiteSpaceIsFoundInWhatAnotherTook) {
  const std::vector<AddedText> tokens = {{"A", {.id = 0, .rstrip = true}}, {"  ", {.id = 1}}};
  EXPECT_EQ(cut(tokens, "A    b"), "[0][1][1]b");
  EXPECT_EQ(cut(tokens, "A   b"), "[0][1] b");
  EXPECT_EQ(cut(tokens, "  A   "), "[1][0][1] ");
}

TEST(AddedTokens, ASingleWordIsNotFoundBesideLettersAndDigits) {
  const std::vector<AddedText> tokens = {{"new", {.id = 0, .single_word = true}},
                                         {"newer", {.id = 1, .single_word = true}}};
  EXPECT_EQ(cut(tokens, "new a new, (new)"), "[0] a [0], ([0])");
  for (const char* text : {"anew", "news", "new_", "1new", "\u00e9new", "new\u0301", "new\u200d"})
    EXPECT_EQ(cut(tokens, text), text);
  EXPECT_EQ(cut(tokens, "newers newer"), "newers [1]");
  EXPECT_EQ(cut(tokens, "\xe9new\xff"), "\xe9[0]\xff");  // no UTF-8
}

TEST(AddedTokens, WhatCannotBeFoundIsRefused) {
  using namespace std::string_view_literals;
  const auto code = [](const std::vector<AddedText>& tokens) {
    const auto made = AddedTokens::create(tokens);
    return made ? std::optional<ErrorCode>() : made.error().code();
  };
  const std::string long_text(256, 'x');
  EXPECT_EQ(code({{"", {1}}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a\0b"sv, {1}}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{long_text, {1}}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a", {1}}, {"b", {2}}, {"a", {3}}}), ErrorCode::duplicate_token);
  const std::vector<std::string_view> texts = {"a", "b"};
  for (const std::int32_t id : {-1, 2}) {
    const AddedToken token = {.id = id};
    EXPECT_EQ(added_tokens_of(texts, std::span(&token, 1), false).error().code(),
              ErrorCode::special_token_id);
  }
}

TEST(AddedTokens, AnEntryReplacesASpecialToken) {
  const SpecialTokenIds special = {.pad = 1, .unk = 3, .cls = 0, .sep = 2, .mask = 3};
  const AddedToken added[] = {{.id = 9}, {.id = 2, .normalized = true}};
  const std::vector<AddedToken> expected = {{1}, {3}, {0}, {.id = 2, .normalized = true}, {9}};
  EXPECT_EQ(with_special_tokens(special, added), expected);
}

/// Time would be quadratic if the white space were read again for each token.
TEST(AddedTokens, TokensOfWhiteSpaceTakeLinearTime) {
  const std::vector<AddedText> tokens = {{" ", {.id = 0, .rstrip = true}}};
  const std::string text(300'000, ' ');
  EXPECT_EQ(cut(tokens, text).size(), 3 * text.size());
  EXPECT_EQ(cut({{" ", {.id = 0, .lstrip = true}}}, text).size(), 3 * text.size());
}

/// The recorded behaviour of `tokenizers` 0.23.3 for every code point.
TEST(UnicodeClass, IsThatOfTokenizers) {
  const std::string file = testing::read_gzip(EMBD_TEST_DATA "/bpe/classes.tsv.gz");
  std::size_t checked = 0;
  for (const std::string_view line : testing::split(file, '\n')) {
    if (line.starts_with('#')) continue;
    const auto cells = testing::split(line, '\t');
    const auto first = std::stoul(std::string(cells[0]), nullptr, 16);
    const auto last = std::stoul(std::string(cells[1]), nullptr, 16);
    const auto of = static_cast<UnicodeClass>(std::string_view("OSLN").find(cells[2][0]));
    for (auto c = static_cast<char32_t>(first); c <= last; ++c, ++checked) {
      ASSERT_EQ(unicode_class(c), of) << first;
      ASSERT_EQ(is_word_character(c), cells[3] == "1") << first;
      ASSERT_EQ(is_white_space(c), of == UnicodeClass::white_space) << first;
    }
  }
  EXPECT_EQ(checked, 0x110000U - 0x800U);
}

TEST(AlignedText, APartKnowsWhereItComesFrom) {
  const std::string_view source = "aXbc\u00e9d";
  AlignedText text;
  text.append(source.substr(0, 1), source.substr(0, 1));
  text.append("<>", source.substr(1, 1));
  text.append(source.substr(2, 2), source.substr(2, 2));
  text.append("", source.substr(4, 2));
  text.append(source.substr(6, 1), source.substr(6, 1));
  ASSERT_EQ(text.text(), "a<>bcd");
  const auto of = [&](std::size_t at, std::size_t size) {
    return text.source_of(text.text().substr(at, size));
  };
  EXPECT_EQ(of(0, 1), "a");
  EXPECT_EQ(of(0, 2), "aX");
  EXPECT_EQ(of(2, 2), "Xb");
  EXPECT_EQ(of(4, 1), "c");
  EXPECT_EQ(of(3, 3), "bc\u00e9d");
  EXPECT_EQ(of(0, 1).data(), source.data());
  EXPECT_EQ(text.source_of(source.substr(2, 2)).data(), source.data() + 2);
}

}  // namespace
}  // namespace embd
