#include "embd/enum_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "embd/format_options.h"
#include "embd/recipe.h"

namespace embd {
namespace {

template <class Enum, std::size_t Count>
void expect_one_word_a_value(const EnumNames<Enum, Count>& names) {
  std::set<Enum> values;
  for (const auto& [name, value] : names) {
    EXPECT_EQ(value_named(name, names), value) << name;
    EXPECT_EQ(name_of(value, names), name);
    values.insert(value);
  }
  EXPECT_EQ(values.size(), Count);
  EXPECT_EQ(value_named("", names), std::nullopt);
  EXPECT_EQ(value_named(std::string(names[0].first) + "x", names), std::nullopt);
}

TEST(EnumNames, EveryValueHasOneWord) {
  expect_one_word_a_value(cvc_compression_names);
  expect_one_word_a_value(finalfusion_quantizer_names);
  expect_one_word_a_value(parquet_compression_names);
  expect_one_word_a_value(svs_layout_names);
  expect_one_word_a_value(svs_quantizer_names);
  expect_one_word_a_value(pooling_names);
  expect_one_word_a_value(windows_names);
  expect_one_word_a_value(truncation_side_names);
}

TEST(EnumNames, WhatNobodyAsksForHasNone) {
  EXPECT_EQ(name_of(CvcOptions::Compression::automatic, cvc_compression_names), "");
  EXPECT_EQ(name_of(SvsOptions::Layout::automatic, svs_layout_names), "");
  EXPECT_EQ(name_of(SvsOptions::Quantizer::none, svs_quantizer_names), "");
}

/// The command line has one option for both.
TEST(EnumNames, QuantizersOfTwoFormatsShareNoWord) {
  for (const auto& [name, value] : finalfusion_quantizer_names)
    EXPECT_EQ(value_named(name, svs_quantizer_names), std::nullopt) << name;
}

}  // namespace
}  // namespace embd
