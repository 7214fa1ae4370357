#include "formats/vectors/cvc/cvc_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace embd::cvc {
namespace {

TEST(PythonFloat, IsTheReprOfTheDouble) {
  EXPECT_EQ(python_float(0), "0.0");
  EXPECT_EQ(python_float(-0.0), "-0.0");
  EXPECT_EQ(python_float(1), "1.0");
  EXPECT_EQ(python_float(-2.25), "-2.25");
  EXPECT_EQ(python_float(0.1), "0.1");
  EXPECT_EQ(python_float(0.0001), "0.0001");
  EXPECT_EQ(python_float(0.00001), "1e-05");
  EXPECT_EQ(python_float(static_cast<double>(1e-5F)), "9.999999747378752e-06");
  EXPECT_EQ(python_float(static_cast<double>(1.0000000272564224e16F)), "1.0000000272564224e+16");
  EXPECT_EQ(python_float(123456792.0), "123456792.0");
  EXPECT_EQ(python_float(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(python_float(1e16), "1e+16");
  EXPECT_EQ(python_float(1e100), "1e+100");
  EXPECT_EQ(python_float(5e-324), "5e-324");
  EXPECT_EQ(python_float(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(python_float(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(python_float(-std::numeric_limits<double>::infinity()), "-Infinity");
}

std::string round_trip(std::string_view text) {
  const auto parsed = parse_json(as_bytes(text), 0);
  return parsed ? python_json(*parsed) : parsed.error().message();
}

TEST(PythonJson, SortsKeysAndEscapesAllButAscii) {
  EXPECT_EQ(
      round_trip(R"( {"b" : [ 1, 2.50, {} , [] ], "a":"d\u00e9\ud83d\ude00\u007f\n\"\\/" } )"),
      R"({"a":"d\u00e9\ud83d\ude00\u007f\n\"\\/","b":[1,2.5,{},[]]})");
  EXPECT_EQ(round_trip("\"\u00fc\""), R"("\u00fc")");
  EXPECT_EQ(round_trip(R"([true,null,-7,18446744073709551615])"),
            R"([true,null,-7,18446744073709551615])");
  EXPECT_EQ(round_trip(R"({"k":1,"k":2})"), R"({"k":2})");
}

TEST(PythonJson, KeepsTheNumbersThatAreNoJson) {
  EXPECT_EQ(round_trip(R"({"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \"Infinity"})"),
            R"({"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \"Infinity"})");
  const auto parsed = parse_json(as_bytes(R"([NaN,-Infinity,1e3,"NaN",null])"), 0);
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(std::isnan(number_of((*parsed)[0]).value()));
  EXPECT_EQ(number_of((*parsed)[1]), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_of((*parsed)[2]), 1000);
  EXPECT_EQ(number_of((*parsed)[3]), std::nullopt);
  EXPECT_EQ(number_of((*parsed)[4]), std::nullopt);
  EXPECT_EQ(printable(*parsed).dump(), R"(["NaN","-Infinity",1000.0,"NaN",null])");
}

TEST(ParseJson, TellsStringsThatLookLikeTheNumbersItMarks) {
  for (const std::string_view text : {"{\"a\":\"\uFDD0NaN\"}", R"(["\ufdd0x",NaN])"})
    EXPECT_TRUE(has_mark(text)) << text;
  EXPECT_FALSE(has_mark("[\"x\uFDD0NaN\",NaN]"));
  EXPECT_EQ(round_trip("[\"x\uFDD0NaN\",NaN]"), R"(["x\ufdd0NaN",NaN])");
}

TEST(ParseJson, SaysWhereTheTextIsWrong) {
  const auto error = [](std::string_view text) {
    const auto parsed = parse_json(as_bytes(text), 100);
    EXPECT_FALSE(parsed) << text;
    return parsed ? Error(ErrorCode::missing, "") : parsed.error();
  };
  EXPECT_EQ(error(R"({"a":,})").code(), ErrorCode::bad_json);
  EXPECT_EQ(error(R"({"a":,})").offset(), 105);
  EXPECT_EQ(error(R"({"a":NaN,"b":Infinity,})").offset(), 122);
  EXPECT_EQ(error("{\"a\":\"\xff\"}").code(), ErrorCode::invalid_utf8);
  EXPECT_EQ(error("{\"a\":\"\xff\"}").offset(), 106);
  EXPECT_EQ(error("").code(), ErrorCode::bad_json);
  EXPECT_EQ(error("[1e999]").code(), ErrorCode::bad_json);
  EXPECT_EQ(error("\"open").code(), ErrorCode::bad_json);
  EXPECT_EQ(error("\"open\\").code(), ErrorCode::bad_json);
  EXPECT_EQ(error("1NaN").code(), ErrorCode::bad_json);
  EXPECT_EQ(error(std::string(max_json_depth + 1, '[')).offset(), 100 + max_json_depth);
}

}  // namespace
}  // namespace embd::cvc
