#include "base/json.h"

#include <gtest/gtest.h>

#include <string>

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
  const auto result = parse_json(nested(65), 100, 64);
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
  EXPECT_EQ(error_of("[1e999]").offset(), 105U);
}

TEST(ParseJson, RefusesNulWhereverItStands) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"{}\0"s, "{}\0 {"s, "\0{}"s, "[\0]"s, "\"a\0b\""s, "{\"a\":1}\0 x"s}) {
    const Error error = error_of(text);
    EXPECT_EQ(error.code(), ErrorCode::bad_json);
    EXPECT_EQ(error.what(), "a NUL byte was found, which JSON cannot contain");
    EXPECT_EQ(error.offset(), 100 + text.find('\0'));
  }
  EXPECT_EQ(parse_json(R"("a\u0000b")").value(), "a\0b"s);
}

TEST(ParseJson, NamesHalfOfASurrogatePair) {
  for (const std::string half : {"\\ud800", "\\uDBFF", "\\udc00", "\\uDFFF"})
    for (const std::string after : {"", "a", "\\n", "\\u0041", "\\ud83d\\ude00"}) {
      const Error error = error_of(R"({"a\\":")" + half + after + "\"}");
      EXPECT_EQ(error.code(), ErrorCode::invalid_utf8);
      EXPECT_TRUE(error.what().starts_with(half + " is half of a surrogate pair")) << error.what();
      EXPECT_EQ(error.offset(), 108U);
    }
  EXPECT_EQ(error_of(R"("\ud83d\ud83d\ude00")").offset(), 101U);
  EXPECT_EQ(parse_json(R"("\ud83d\uDE00\\ud800")").value(), "\U0001F600\\ud800");
}

TEST(ParseJson, HalvesAreReplacedAndWholePairsStay) {
  std::string text = R"(["\ud800","\ud800\ud83d\ude00\udc00","\\ud800","\uD7ff"])";
  replace_half_surrogates(text);
  EXPECT_EQ(text, R"(["\ufffd","\ufffd\ud83d\ude00\ufffd","\\ud800","\uD7ff"])");
}

TEST(ParseJson, RefusesANameThatAnObjectHasTwice) {
  for (const std::string text : {R"({"a":1,"b":{},"a":2})", R"([{"b":{"a":1,"\u0061":[]}}])"}) {
    const Error error = error_of(text);
    EXPECT_EQ(error.code(), ErrorCode::duplicate);
    EXPECT_EQ(error.what(), "key \"a\"");
    EXPECT_EQ(parse_ordered_json(text).error().code(), ErrorCode::duplicate);
  }
  EXPECT_TRUE(parse_json(R"([{"a":1},{"a":{"a":2}}])"));
}

TEST(ParseJson, BuildsTheTreeThatTheTextSays) {
  const std::string text =
      R"({"z":[],"a":[1,-2,1.5,-0,true,false,null,"x",[[]],{"c":{},"b":[{"e":1}]}],"":"é"})";
  EXPECT_EQ(parse_json(text).value(), nlohmann::json::parse(text));
  EXPECT_EQ(parse_ordered_json(text).value().dump(), nlohmann::ordered_json::parse(text).dump());
  for (const char* lone : {"1", "\"a\"", "null", "true", "1e3", "{}"})
    EXPECT_EQ(parse_json(lone).value(), nlohmann::json::parse(lone));
}

TEST(ReadJsonLine, SaysWhereInTheLine) {
  const auto fault = [](std::string_view line) {
    JsonHandler nothing;
    const auto read = read_json_line(line, nothing);
    EXPECT_FALSE(read) << line;
    return read ? "" : read.error().what();
  };
  EXPECT_EQ(fault("[1,]"), "unexpected text at byte 4 of the line");
  EXPECT_EQ(fault("[1e999]"), "a number is too large for a double, at byte 6 of the line");
  EXPECT_EQ(fault(""), "the line ends before its JSON does");
  EXPECT_EQ(fault("{\"a\":"), "the line ends before its JSON does");
  EXPECT_EQ(fault("\"a"), "the line ends before its JSON does");
  EXPECT_EQ(fault(nested(257)),
            "arrays and objects are nested deeper than 256 levels, at byte 257 of the line");
}

TEST(ParseJson, AMemberThatIsNoTextIsEmpty) {
  const nlohmann::json object = parse_json(R"({"a":"text","b":1})").value();
  EXPECT_EQ(text_member(object, "a"), "text");
  EXPECT_EQ(text_member(object, "b"), "");
  EXPECT_EQ(text_member(object, "c"), "");
  EXPECT_EQ(text_member(nlohmann::json("a"), "a"), "");
}

TEST(ParseJson, DoesNotRepeatAFilesTextInItsReason) {
  for (const char* text : {"\"\x1B[2J\xFFsecret\"", "[secret]", "\"secret"})
    EXPECT_EQ(error_of(text).what().find("secret"), std::string::npos) << error_of(text).what();
  EXPECT_LT(error_of("[1" + std::string(1'000'000, '0') + "]").what().size(), 100U);
  EXPECT_LT(error_of("\"" + std::string(1'000'000, 'x')).what().size(), 100U);
}

}  // namespace
}  // namespace embd
