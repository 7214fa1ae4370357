#include "base/json.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json_fault.h"

namespace embd {
namespace {

std::string nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

Error error_of(std::string_view text) {
  const auto result = parse_json(text, 100);
  EXPECT_FALSE(result) << text;
  return result ? Error(ErrorCode::missing, "") : result.error();
}

TEST(ParseJson, AcceptsWhatPeopleWrite) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += R"({"a":[1,2]},)";
  for (const std::string& text :
       {std::string("{}"), nested(256), many + "0]", "\"" + nested(1000) + "\"",
        R"(["\"[[[",")" + nested(1000) + "\"]"})
    EXPECT_TRUE(parse_json(text)) << text;
  EXPECT_EQ(parse_json(R"({"a":[1,"x"]})").value()["a"][1], "x");
}

TEST(ParseJson, RefusesWhatWouldEndTheProcess) {
  for (const std::string before : {"", "{\"a\":", "[\"]]]\\\"\",", "[[],[],{},"}) {
    const auto result = parse_json(before + nested(1'000'000));
    ASSERT_FALSE(result) << before;
    EXPECT_EQ(result.error().code(), ErrorCode::bad_json);
    EXPECT_EQ(result.error().what(), "arrays and objects are nested deeper than 256 levels");
    EXPECT_LE(result.error().offset().value(), before.size() + 256);
  }
}

TEST(ParseJson, SaysWhereInTheFileItIsTooDeep) {
  const auto result = parse_json(nested(65), 100, nullptr, 64);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().offset(), 164U);
}

TEST(ParseJson, SaysWhereInTheFileAndWhy) {
  const Error error = error_of(R"({"a":,})");
  EXPECT_EQ(error.code(), ErrorCode::bad_json);
  EXPECT_EQ(error.offset(), 105U);
  EXPECT_EQ(error.what(),
            "syntax error while parsing value - unexpected ','; expected '[', '{', or a literal");
  EXPECT_EQ(error_of("").offset(), 100U);
  EXPECT_EQ(error_of("[1] 2").offset(), 104U);
  EXPECT_EQ(error_of("\"\xFF\"").offset(), 101U);
  EXPECT_EQ(error_of("[1e999]").code(), ErrorCode::bad_json);
  EXPECT_EQ(error_of("[1e999]").offset(), 100U);
}

TEST(JsonFaultInLine, IsInPlainWords) {
  const auto fault = [](std::string_view line) -> std::string {
    try {
      return nlohmann::json::parse(line).dump();
    } catch (const nlohmann::json::exception& error) {
      return json_fault_in_line(error, 7);
    }
  };
  EXPECT_EQ(fault("[1,]"), "unexpected text at byte 7 of the line");
  EXPECT_EQ(fault("[1e999]"), "a number is too large for a double, at byte 7 of the line");
  EXPECT_EQ(fault(""), "the line ends before its JSON does");
  EXPECT_EQ(fault("{\"a\":"), "the line ends before its JSON does");
}

TEST(ParseJson, DoesNotRepeatAFilesTextInItsReason) {
  for (const char* text : {"\"\x1B[2J\xFFsecret\"", "[secret]", "\"secret"})
    EXPECT_EQ(error_of(text).what().find("secret"), std::string::npos) << error_of(text).what();
  EXPECT_LT(error_of("[1" + std::string(1'000'000, '0') + "]").what().size(), 100U);
  EXPECT_LT(error_of("\"" + std::string(1'000'000, 'x')).what().size(), 100U);
}

}  // namespace
}  // namespace embd
