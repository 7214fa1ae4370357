#include "formats/vectors/finalfusion/words.h"

#include <gtest/gtest.h>

#include <string>

namespace embd::finalfusion {
namespace {

TEST(StringTable, FindsEveryStringAndNoOther) {
  std::vector<std::string> strings;
  const auto at = [&](std::uint64_t i) -> std::string_view { return strings[i]; };
  StringTable table;
  for (int i = 0; i < 5000; ++i) {
    strings.push_back("word " + std::to_string(i * 7));
    EXPECT_EQ(table.insert(strings.back(), strings.size() - 1, at), std::nullopt);
  }
  for (std::uint64_t i = 0; i < strings.size(); ++i) {
    EXPECT_EQ(table.find(strings[i], at), i);
    EXPECT_EQ(table.insert(strings[i], 99999, at), i);
  }
  EXPECT_EQ(table.find("word 1", at), std::nullopt);
  EXPECT_EQ(table.find("", at), std::nullopt);
}

TEST(StringTable, HoldsTheEmptyString) {
  const auto at = [](std::uint64_t) { return std::string_view(); };
  StringTable table(1);
  EXPECT_EQ(table.insert("", 0, at), std::nullopt);
  EXPECT_EQ(table.insert("", 1, at), 0U);
}

}  // namespace
}  // namespace embd::finalfusion
