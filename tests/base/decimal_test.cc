#include "base/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace embd {
namespace {

TEST(Decimal, IsWhatPeopleAndProgramsWrite) {
  EXPECT_EQ(decimal_of<float>("1"), 1.0F);
  EXPECT_EQ(decimal_of<float>("+1.5"), 1.5F);
  EXPECT_EQ(decimal_of<float>("-.5"), -0.5F);
  EXPECT_EQ(decimal_of<float>("5."), 5.0F);
  EXPECT_EQ(decimal_of<double>("1E+3"), 1000.0);
  EXPECT_TRUE(std::isnan(decimal_of<float>("nan").value()));
  EXPECT_EQ(decimal_of<double>("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* text : {"", "+", "-", "+-1", "-+1", "++1", "1x", " 1", "1 ", "0x10", "1e", "."})
    EXPECT_FALSE(decimal_of<float>(text)) << text;
}

TEST(Decimal, TooSmallIsDenormalOrZeroAndTooLargeIsNone) {
  EXPECT_EQ(decimal_of<float>("1e-45"), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(decimal_of<double>("4e-320"), 4e-320);
  for (const std::string text :
       {"1e-50", "0.0001e-50", "1000000e-80", "1e-99999999999999999999", "0e99999999999999999999"})
    EXPECT_EQ(decimal_of<float>(text), 0.0F) << text;
  EXPECT_EQ(decimal_of<float>("0." + std::string(400, '0') + "1"), 0.0F);
  EXPECT_TRUE(std::signbit(decimal_of<double>("-1e-400").value()));
  EXPECT_EQ(decimal_of<double>("-1e-400"), 0.0);
  for (const std::string text : {"1e39", "-1e999", "1e+99999999999999999999", "0.001e+50"})
    EXPECT_FALSE(decimal_of<float>(text)) << text;
  EXPECT_FALSE(decimal_of<double>("1" + std::string(400, '0') + "e-10"));
  EXPECT_EQ(decimal_of<double>("1" + std::string(400, '0') + "e-400"), 1.0);
}

TEST(Decimal, EndsWhereTheNumberEnds) {
  const std::string_view text = "+1.5 x";
  float value = 0;
  EXPECT_EQ(parse_decimal(text.data(), text.data() + text.size(), value), text.data() + 4);
  EXPECT_EQ(value, 1.5F);
}

TEST(WholeNumber, IsAllOfTheText) {
  EXPECT_EQ(whole_number<std::uint64_t>("0"), 0U);
  EXPECT_EQ(whole_number<std::uint64_t>("007"), 7U);
  EXPECT_EQ(whole_number<std::uint64_t>("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(whole_number<std::int64_t>("-12"), -12);
  for (const char* text :
       {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "-1", "one", "18446744073709551616"})
    EXPECT_FALSE(whole_number<std::uint64_t>(text)) << text;
  EXPECT_FALSE(whole_number<std::int64_t>("+1"));
  EXPECT_FALSE(whole_number<std::uint32_t>("4294967296"));
}

TEST(WholeNumber, IsPlainWithoutLeadingZeros) {
  EXPECT_EQ(plain_number("0"), 0U);
  EXPECT_EQ(plain_number("120"), 120U);
  for (const char* text : {"", "00", "012", "-1", "+1", "1 "})
    EXPECT_FALSE(plain_number(text)) << text;
}

}  // namespace
}  // namespace embd
