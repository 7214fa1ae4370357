#include "engine/encoder/smoothing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "embd/convert_model.h"
#include "engine/encoder/weights.h"
#include "formats/weights/huggingface/convert_folder.h"
#include "formats/weights/model_tensors.h"
#include "tests/support/temporary_directory.h"

namespace embd {
namespace {

const std::filesystem::path data = EMBD_TEST_DATA;

const kernels::Kernels& portable() {
  return **std::ranges::find(kernels::available_kernels().begin, kernels::available_kernels().end,
                             std::string_view("portable"),
                             [](const kernels::Kernels* table) { return table->name; });
}

std::vector<std::vector<float>> vectors_of(const SmoothingFactors& factors) {
  std::vector<std::vector<float>> vectors;
  for (const auto& [attention, feed_forward] : factors.layers) {
    vectors.push_back(attention);
    vectors.push_back(feed_forward);
  }
  return vectors;
}

TEST(SmoothingFactors, HaveTheSameBitsWithAllKernelsAndThreads) {
  const WeightFile file = WeightFile::open(data / "embd" / "plain.weights").value();
  const auto expected = vectors_of(smoothing_factors(file, portable(), 1).value());
  ASSERT_EQ(expected.size(), std::size_t{2} * file.spec().num_layers);
  for (const std::vector<float>& vector : expected) {
    ASSERT_EQ(vector.size(), file.spec().hidden);
    EXPECT_TRUE(std::ranges::all_of(vector, [](float factor) { return factor > 0; }));
    EXPECT_NE(std::ranges::min(vector), std::ranges::max(vector));
  }
  const auto [begin, end] = kernels::available_kernels();
  for (const auto* table = begin; table != end; ++table) {
    if (!(*table)->supported() || std::string_view((*table)->name) == "reference") continue;
    for (const int threads : {1, 3}) {
      EXPECT_EQ(vectors_of(smoothing_factors(file, **table, threads).value()), expected)
          << (*table)->name << ", " << threads << " threads";
    }
  }
}

TEST(SmoothingFactors, AreNeededUnlessAllTheirMatricesAreInt8) {
  const auto is_needed = [](const std::string& name) {
    return has_unrounded(WeightFile::open(data / "embd" / name).value());
  };
  EXPECT_TRUE(is_needed("plain.weights"));
  EXPECT_FALSE(is_needed("int8.weights"));
}

TEST(SmoothingFactors, BelongToTheFirstStepsOfTheirLayer) {
  const SmoothingFactors factors = {.layers = {{{1}, {2}}, {{3}, {4}}}};
  EXPECT_EQ(factors.of(Module::query, 0)[0], 1);
  EXPECT_EQ(factors.of(Module::value, 1)[0], 3);
  EXPECT_EQ(factors.of(Module::gate, 1)[0], 4);
  EXPECT_EQ(factors.of(Module::up, 0)[0], 2);
  EXPECT_TRUE(factors.of(Module::down, 0).empty());
  EXPECT_TRUE(factors.of(Module::attention_output, 0).empty());
  EXPECT_TRUE(factors.of(Module::query, 2).empty());
}

class SmoothedFileTest : public test::TemporaryDirectory {};

TEST_F(SmoothedFileTest, AConvertedFileHasTheFactorsOfItsFolder) {
  const std::filesystem::path folder = data / "families" / "mpnet_mean";
  ASSERT_TRUE(convert_model(folder, path("int8.weights"), {.type = ElementType::i8}));
  const WeightFile file = WeightFile::open(path("int8.weights")).value();
  EXPECT_FALSE(has_unrounded(file));
  const WeightFile opened = std::move(huggingface::open_model_folder(folder).value().file);
  const SmoothingFactors factors = smoothing_factors(opened, portable(), 1).value();
  for (const Module module : {Module::query, Module::value, Module::up}) {
    const WeightMatrix matrix = file.matrix(weight_name(module, 1)).value();
    ASSERT_NE(matrix.smooth, nullptr);
    std::vector<float> stored(matrix.cols());
    ASSERT_TRUE(to_floats(*matrix.smooth, stored));
    EXPECT_TRUE(std::ranges::equal(stored, factors.of(module, 1)));
  }
  EXPECT_EQ(file.matrix(weight_name(Module::down, 1))->smooth, nullptr);
}

}  // namespace
}  // namespace embd
