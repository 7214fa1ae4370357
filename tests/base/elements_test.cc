#include "base/elements.h"

#include <gtest/gtest.h>

#include <cmath>

namespace embd {
namespace {

constexpr ElementType plain[] = {ElementType::f32,  ElementType::f64, ElementType::f16,
                                 ElementType::bf16, ElementType::i8,  ElementType::u8,
                                 ElementType::i16,  ElementType::u16, ElementType::i32,
                                 ElementType::u32,  ElementType::i64, ElementType::u64};

TEST(Elements, SmallWholeNumbersSurviveEveryPlainType) {
  const std::vector<float> values = {0, 1, 2, 100, 127};
  for (const ElementType type : plain) {
    std::vector<std::byte> elements;
    ASSERT_TRUE(elements_from_floats(type, values, elements)) << element_name(type);
    ASSERT_EQ(elements.size(), values.size() * element_bits(type) / 8) << element_name(type);
    std::vector<float> back(values.size());
    floats_from_elements(type, elements, back);
    EXPECT_EQ(back, values) << element_name(type);
  }
}

TEST(Elements, AnIntegerTypeRefusesWhatItCannotHold) {
  std::vector<std::byte> out;
  for (const float value : {128.0F, -129.0F, 0.5F, std::nanf(""), INFINITY}) {
    EXPECT_FALSE(elements_from_floats(ElementType::i8, {&value, 1}, out)) << value;
  }
  for (const float value : {256.0F, -1.0F})
    EXPECT_FALSE(elements_from_floats(ElementType::u8, {&value, 1}, out)) << value;
  const float two_to_32 = 4294967296.0F;
  EXPECT_FALSE(elements_from_floats(ElementType::u32, {&two_to_32, 1}, out));
  EXPECT_TRUE(elements_from_floats(ElementType::u64, {&two_to_32, 1}, out));
}

TEST(Elements, BitsAreNotPlain) {
  std::vector<std::byte> out;
  const float one = 1;
  EXPECT_EQ(elements_from_floats(ElementType::b1, {&one, 1}, out).error().code(),
            ErrorCode::unsupported);
}

}  // namespace
}  // namespace embd
