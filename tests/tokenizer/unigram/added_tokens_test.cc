#include "tokenizer/unigram/added_tokens.h"

#include <gtest/gtest.h>

#include <optional>

namespace embd::unigram {
namespace {

AddedTokens added(std::vector<AddedToken> tokens) {
  return AddedTokens::create(tokens).value();
}

struct Expected {
  std::size_t begin, text_begin, end;
  std::int32_t id;
};

void expect(const std::optional<AddedTokens::Found>& found, const Expected& expected) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, expected.begin);
  EXPECT_EQ(found->text_begin, expected.text_begin);
  EXPECT_EQ(found->end, expected.end);
  EXPECT_EQ(found->id, expected.id);
}

TEST(AddedTokens, FindsTheLeftmostAndThereTheLongest) {
  const AddedTokens tokens = added({{"<s>", 0}, {"<s>x", 1}, {"s>", 2}});
  expect(tokens.find("a<s>b", 0), {1, 1, 4, 0});
  expect(tokens.find("a<s>xb", 0), {1, 1, 5, 1});
  expect(tokens.find("as>b<s>", 0), {1, 1, 3, 2});
  expect(tokens.find("<s><s>", 1), {1, 1, 3, 2});
  expect(tokens.find("<<s", 0).has_value() ? tokens.find("<<s", 0) : tokens.find("<<s>", 0),
         {1, 1, 4, 0});
  EXPECT_FALSE(tokens.find("<s", 0));
  EXPECT_FALSE(tokens.find("", 0));
  EXPECT_FALSE(added({}).find("<s>", 0));
}

TEST(AddedTokens, SwallowsWhiteSpaceWhereTheTokenDoes) {
  const AddedTokens tokens = added({{"<m>", 5, true}, {"<s>", 6}});
  expect(tokens.find("a \t\u00a0\u3000<m> b", 0), {1, 8, 11, 5});
  expect(tokens.find("a <s>", 0), {2, 2, 5, 6});
  expect(tokens.find("  <m>", 0), {0, 2, 5, 5});
  expect(tokens.find("  <m>", 1), {1, 2, 5, 5});
  expect(tokens.find("a\u200b<m>", 0), {4, 4, 7, 5});  // no white space
  expect(tokens.find("a\x85<m>", 0), {2, 2, 5, 5});    // no UTF-8
  expect(tokens.find("a\xe3\x80<m>", 0), {3, 3, 6, 5});
}

TEST(AddedTokens, RefusesWhatItCannotFind) {
  using namespace std::string_view_literals;
  const auto code = [](std::vector<AddedToken> tokens) {
    const auto made = AddedTokens::create(tokens);
    return made ? std::optional<ErrorCode>() : made.error().code();
  };
  EXPECT_EQ(code({{"", 1}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a\0b"sv, 1}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{std::string_view(std::string(256, 'x')), 1}}), ErrorCode::bad_value);
  EXPECT_EQ(code({{"a", 1}, {"b", 2}, {"a", 3}}), ErrorCode::duplicate_token);
}

}  // namespace
}  // namespace embd::unigram
