#include "engine/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace embd {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void expect_near(double value, long double exact, double x, long double bar = 1e-14L) {
  const auto error = std::abs(static_cast<long double>(value) - exact);
  EXPECT_LE(error, bar * std::abs(exact) + 1e-300L) << x;
}

TEST(Functions, AreThoseOfMathematics) {
  for (double x = -90; x <= 90; x += 0.0107) {
    const long double exact = x;
    expect_near(exp_of(x), std::exp(exact), x);
    expect_near(tanh_of(x), std::tanh(exact), x, 1e-12L);
    expect_near(sigmoid_of(x), 1 / (1 + std::exp(-exact)), x);
    expect_near(silu_of(x), exact / (1 + std::exp(-exact)), x);
    const long double gelu = exact * (1 + std::erf(exact / std::sqrt(2.0L))) / 2;
    EXPECT_LE(std::abs(gelu_of(x) - gelu), 2e-15L * std::abs(exact)) << x;
    EXPECT_EQ(relu_of(x), std::max(x, 0.0));
  }
  for (double x = 1e-12; x < 1; x *= 1.7) {
    // A difference of two numbers near 1 loses digits, but none that a float has.
    expect_near(tanh_of(x), std::tanh(static_cast<long double>(x)), x, 1e-12L);
    EXPECT_EQ(tanh_of(-x), -tanh_of(x));
  }
}

TEST(Functions, LogarithmsAgreeWithTheLibraryTo15Digits) {
  for (double x = 1; x < 1e10; x *= 1.0007) {
    const double expected = std::log(x);
    EXPECT_NEAR(log_of(x), expected, 1e-15 * std::max(expected, 0.1)) << x;
  }
  EXPECT_EQ(log_of(1), 0);
}

TEST(SineAndCosine, AreThoseOfTheLibrary) {
  for (double angle = 0; angle < 131072; angle += 0.37 + angle / 1000) {
    const auto [sine, cosine] = sine_and_cosine(angle);
    EXPECT_NEAR(sine, std::sin(angle), 4e-16) << angle;
    EXPECT_NEAR(cosine, std::cos(angle), 4e-16) << angle;
  }
}

TEST(Functions, HaveEnds) {
  EXPECT_EQ(tanh_of(infinity), 1);
  EXPECT_EQ(tanh_of(-infinity), -1);
  EXPECT_EQ(tanh_of(0), 0);
  EXPECT_TRUE(std::signbit(tanh_of(-0.0)));
  EXPECT_EQ(sigmoid_of(infinity), 1);
  EXPECT_EQ(static_cast<float>(sigmoid_of(-infinity)), 0.0F);
  EXPECT_EQ(sigmoid_of(0), 0.5);
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_TRUE(std::isfinite(exp_of(infinity)));
  EXPECT_GT(exp_of(-infinity), 0);
}

TEST(Functions, NanStaysNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(exp_of(nan)));
  EXPECT_TRUE(std::isnan(tanh_of(nan)));
  EXPECT_TRUE(std::isnan(sigmoid_of(nan)));
  EXPECT_TRUE(std::isnan(relu_of(nan)));
  EXPECT_TRUE(std::isnan(silu_of(nan)));
  EXPECT_TRUE(std::isnan(gelu_of(nan)));
}

/// The bits that docs/arithmetic.md gives, computed by another program from that page.
TEST(Functions, HaveTheBitsOfTheirDefinition) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_EQ(bits(exp_of(0.1)), 0x3ff1aec7b35a00d4ULL);
  EXPECT_EQ(bits(exp_of(-1.75)), 0x3fc63e397e022072ULL);
  EXPECT_EQ(bits(exp_of(3.3)), 0x403b1cd5e7807b7bULL);
  EXPECT_EQ(bits(exp_of(-17.0625)), 0x3e64e1277c8d8050ULL);
  EXPECT_EQ(bits(exp_of(1e-05)), 0x3ff0000a7c5e340eULL);
  EXPECT_EQ(bits(tanh_of(0.1)), 0x3fb983d7795f413cULL);
  EXPECT_EQ(bits(tanh_of(-1.75)), 0xbfee1fbf97e33526ULL);
  EXPECT_EQ(bits(tanh_of(3.3)), 0x3fefe9bdf44f7c04ULL);
  EXPECT_EQ(bits(tanh_of(-17.0625)), 0xbfefffffffffffe4ULL);
  EXPECT_EQ(bits(tanh_of(1e-05)), 0x3ee4f8b588e06854ULL);
  EXPECT_EQ(bits(sigmoid_of(0.1)), 0x3fe0cca12729afb8ULL);
  EXPECT_EQ(bits(sigmoid_of(-1.75)), 0x3fc2f335e8e7bfd6ULL);
  EXPECT_EQ(bits(sigmoid_of(3.3)), 0x3feedc99cf2c9d4dULL);
  EXPECT_EQ(bits(sigmoid_of(-17.0625)), 0x3e64e1276eeddecaULL);
  EXPECT_EQ(bits(sigmoid_of(1e-05)), 0x3fe000053e2d6238ULL);
  EXPECT_EQ(bits(silu_of(0.1)), 0x3faae101d842b2c0ULL);
  EXPECT_EQ(bits(silu_of(-1.75)), 0xbfd094cf2bcac7dbULL);
  EXPECT_EQ(bits(silu_of(3.3)), 0x400975fee484ce92ULL);
  EXPECT_EQ(bits(silu_of(-17.0625)), 0xbea6441b0d4baa95ULL);
  EXPECT_EQ(bits(silu_of(1e-05)), 0x3ed4f8bc681b5f66ULL);
  EXPECT_EQ(bits(gelu_of(0.1)), 0x3faba3a1a550a71cULL);
  EXPECT_EQ(bits(gelu_of(-1.75)), 0xbfb1f24df91cac0bULL);
  EXPECT_EQ(bits(gelu_of(3.3)), 0x400a632200e71ff5ULL);
  EXPECT_EQ(bits(gelu_of(-17.0625)), 0x8000000000000000ULL);
  EXPECT_EQ(bits(gelu_of(1e-05)), 0x3ed4f8c08031ee9cULL);
}

}  // namespace
}  // namespace embd
