#include "base/json_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace embd {
namespace {

std::string nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonDepth, AcceptsWhatPeopleWrite) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += R"({"a":[1,2]},)";
  for (const std::string& text :
       {std::string(), std::string("{}"), nested(256), many + "0]", "\"" + nested(1000) + "\"",
        R"(["\"[[[",")" + nested(1000) + "\"]"}) {
    EXPECT_TRUE(check_json_depth(text)) << text;
  }
}

TEST(JsonDepth, RefusesWhatWouldEndTheProcess) {
  for (const std::string before : {"", "{\"a\":", "[\"]]]\\\"\",", "[[],[],{},"}) {
    const auto result = check_json_depth(before + nested(1'000'000));
    ASSERT_FALSE(result) << before;
    EXPECT_EQ(result.error().code(), ErrorCode::bad_json);
    EXPECT_LE(result.error().offset().value(), before.size() + 256);
  }
}

TEST(JsonDepth, SaysWhereInTheFile) {
  const auto result = check_json_depth(nested(65), 100, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().offset(), 164U);
}

}  // namespace
}  // namespace embd
