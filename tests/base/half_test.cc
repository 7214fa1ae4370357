#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace embd {
namespace {

TEST(Half, EveryHalfSurvivesARoundTrip) {
  for (std::uint32_t h = 0; h <= 0xffffU; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    const float value = float_from_half(half);
    if (std::isnan(value)) {
      EXPECT_EQ(half_from_float(value), (h & 0x8000U) | 0x7e00U);
    } else {
      EXPECT_EQ(half_from_float(value), half) << std::hex << h;
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(half_from_float(65519.9F), 0x7bff);
  EXPECT_EQ(half_from_float(65520.0F), 0x7c00);
  EXPECT_EQ(half_from_float(1e-8F), 0x0000);
  EXPECT_EQ(half_from_float(6e-8F), 0x0001);
  EXPECT_EQ(half_from_float(2049.0F), 0x6800);
  EXPECT_EQ(half_from_float(2051.0F), 0x6802);
  EXPECT_EQ(half_from_float(-0.0F), 0x8000);
}

TEST(Half, BulkEqualsScalarAtEveryLength) {
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<float> values(size);
    for (std::size_t i = 0; i < size; ++i)
      values[i] = std::ldexp(1.0F + 0.37F * static_cast<float>(i), static_cast<int>(i % 50) - 30);
    if (size > 3) values[3] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::uint16_t> halves(size);
    halves_from_floats(values, halves);
    std::vector<float> back(size);
    floats_from_halves(halves, back);
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_EQ(halves[i], half_from_float(values[i]));
      EXPECT_EQ(std::bit_cast<std::uint32_t>(back[i]),
                std::bit_cast<std::uint32_t>(float_from_half(halves[i])));
    }
  }
}

TEST(Half, BulkEqualsScalarForEveryHalf) {
  std::vector<std::uint16_t> halves(0x10000);
  for (std::size_t h = 0; h < halves.size(); ++h) halves[h] = static_cast<std::uint16_t>(h);
  std::vector<float> values(halves.size());
  floats_from_halves(halves, values);
  for (std::size_t h = 0; h < halves.size(); ++h) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(values[h]),
              std::bit_cast<std::uint32_t>(float_from_half(halves[h])))
        << h;
  }
}

TEST(Half, BulkEqualsScalarOverAllFloats) {
  std::vector<float> values(8192);
  std::vector<std::uint16_t> halves(values.size());
  std::uint64_t bits = 0;
  while (bits <= UINT32_MAX) {
    for (float& value : values) {
      value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      bits += 1997;
    }
    halves_from_floats(values, halves);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(halves[i], half_from_float(values[i]))
          << std::hex << std::bit_cast<std::uint32_t>(values[i]);
  }
}

TEST(Bfloat16, RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(bfloat16_from_float(1.0F), 0x3f80);
  EXPECT_EQ(bfloat16_from_float(std::bit_cast<float>(0x3f808000U)), 0x3f80);
  EXPECT_EQ(bfloat16_from_float(std::bit_cast<float>(0x3f818000U)), 0x3f82);
  EXPECT_TRUE(
      std::isnan(float_from_bfloat16(bfloat16_from_float(std::bit_cast<float>(0x7f800001U)))));
}

}  // namespace
}  // namespace embd
