#include "engine/input.h"

#include <gtest/gtest.h>

#include <vector>

namespace embd {
namespace {

TEST(Inputs, AreOfOneSortEach) {
  const std::vector<std::string_view> texts = {"a", "bcd"};
  const std::vector<TextPair> pairs = {{"ab", "c"}};
  const std::vector<std::int32_t> ids = {1, 2, 3};
  const std::vector<TokenSpan> tokens = {{.ids = ids}};
  EXPECT_EQ(Inputs().size(), 0U);
  EXPECT_EQ(Inputs(texts).size(), 2U);
  EXPECT_EQ(std::get<std::string_view>(Inputs(texts)[1]), "bcd");
  EXPECT_EQ(std::get<TextPair>(Inputs(pairs)[0]).second, "c");
  EXPECT_EQ(std::get<TokenSpan>(Inputs(tokens)[0]).ids.data(), ids.data());
}

TEST(TokenEstimate, CountsSpecialTokensAndTheCut) {
  const TokenEstimate estimate(3, 20);
  const std::vector<std::int32_t> ids(7);
  EXPECT_EQ(estimate(std::string_view()), 3);
  EXPECT_EQ(estimate(std::string_view("12345678")), 5);
  EXPECT_EQ(estimate(TextPair{"1234", "5678"}), 5);
  EXPECT_EQ(estimate(TokenSpan{.ids = ids}), 10);
  EXPECT_EQ(estimate(std::string_view(std::string(500, 'x'))), 20);
}

}  // namespace
}  // namespace embd
