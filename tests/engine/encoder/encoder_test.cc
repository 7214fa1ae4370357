#include "engine/encoder/encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stop_token>
#include <string>

#include "tests/support/npy.h"
#include "tests/support/real_model.h"

namespace embd {
namespace {

/// Each golden text: its ids, and what numpy in double computed for them.
struct GoldenLayers {
  explicit GoldenLayers(int text) {
    const std::string prefix =
        std::string(EMBD_TEST_DATA) + "/engine/layers/text" + std::to_string(text);
    ids = test::read_npy(prefix + "_ids.npy").as<std::int32_t>();
    hidden = test::read_npy(prefix + "_hidden.npy").as<float>();
  }
  std::vector<std::int32_t> ids;
  std::vector<float> hidden;  // [7, tokens, 384]: after the embeddings, then after each layer
};

class EncoderTest : public testing::TestWithParam<const kernels::Kernels*> {
 protected:
  void SetUp() override {
    EMBD_NEEDS_REAL_MODEL();
    if (!kernels().supported()) GTEST_SKIP() << "this machine has no " << kernels().name;
  }
  static const kernels::Kernels& kernels() { return *GetParam(); }
};

TEST_P(EncoderTest, EveryLayerIsWithin5e5OfTheReference) {
  const auto file = WeightFile::open(test::real_model());
  ASSERT_TRUE(file) << file.error().message();
  const auto weights = Weights::load(*file, kernels(), 2);
  ASSERT_TRUE(weights) << weights.error().message();
  const Encoder encoder(*weights, kernels());

  // All three texts in one pass.
  const GoldenLayers golden[] = {GoldenLayers(0), GoldenLayers(1), GoldenLayers(2)};
  PackedTexts texts;
  for (const GoldenLayers& text : golden) {
    texts.ids.insert(texts.ids.end(), text.ids.begin(), text.ids.end());
    texts.lengths.push_back(static_cast<std::int64_t>(text.ids.size()));
  }
  texts.types.assign(texts.ids.size(), 0);
  Activations activations;
  const auto largest_difference = [&](std::size_t step) {
    const float* row = activations.hidden();
    float largest = 0;
    for (const GoldenLayers& text : golden) {
      const std::size_t size = text.ids.size() * 384;
      const float* expected = text.hidden.data() + step * size;
      for (std::size_t i = 0; i < size; ++i) {
        largest = std::max(largest, std::abs(row[i] - expected[i]));
      }
      row += size;
    }
    return largest;
  };

  encoder.embed(texts, activations);
  EXPECT_LE(largest_difference(0), 5e-5F);
  for (std::size_t layer = 0; layer < 6; ++layer) {
    encoder.layer(layer, texts, activations);
    const float difference = largest_difference(layer + 1);
    EXPECT_LE(difference, 5e-5F) << "layer " << layer;
    RecordProperty("layer" + std::to_string(layer), std::to_string(difference));
  }
}

/// With more members than cores, too, and more than there are heads.
TEST_P(EncoderTest, TeamsOfAnySizeGiveTheSameBytes) {
  // Kernels without instructions of their own take seconds for a block.
  const std::string_view name = kernels().name;
  const bool are_slow = name == "portable" || name == "wasm_simd128" || name == "amx_model";
  const std::vector<int> sizes = are_slow ? std::vector{2, 13} : std::vector{2, 2, 2, 4, 3, 5, 13};
  const auto file = WeightFile::open(test::real_model());
  ASSERT_TRUE(file) << file.error().message();
  for (const kernels::Arithmetic arithmetic :
       {kernels::Arithmetic::f32, kernels::Arithmetic::bf16, kernels::Arithmetic::int8}) {
    if (kernels().products(arithmetic) == nullptr) continue;
    const auto weights = Weights::load(*file, kernels(), 2, arithmetic);
    ASSERT_TRUE(weights) << weights.error().message();
    const Encoder encoder(*weights, kernels());
    // More tokens than a block of rows.
    PackedTexts texts;
    texts.lengths = {19};
    std::int64_t tokens = 19;
    for (; tokens <= weights->products().block_rows; tokens += 32) texts.lengths.push_back(32);
    for (std::int32_t i = 0; i < tokens; ++i) texts.ids.push_back(1000 + i * 97);
    texts.types.assign(texts.ids.size(), 0);
    Activations activations;
    encoder.forward(texts, activations);
    const std::vector<float> one(activations.hidden(), activations.hidden() + tokens * 384);
    for (const int threads : sizes) {
      encoder.forward(texts, activations, threads);
      ASSERT_EQ(std::memcmp(activations.hidden(), one.data(), one.size() * sizeof(float)), 0)
          << threads << " threads";
    }
  }
}

/// A block may take a tenth of a second. A team ends whole: its members wait for each other.
TEST_P(EncoderTest, OneThreadStopsBetweenLayers) {
  const auto file = WeightFile::open(test::real_model());
  ASSERT_TRUE(file) << file.error().message();
  const auto weights = Weights::load(*file, kernels(), 2);
  ASSERT_TRUE(weights) << weights.error().message();
  const Encoder encoder(*weights, kernels());
  PackedTexts texts = {
      .ids = GoldenLayers(0).ids, .types = {}, .lengths = {std::ssize(GoldenLayers(0).ids)}};
  texts.types.assign(texts.ids.size(), 0);
  const auto hidden_after = [&](const auto& steps) {
    Activations activations;
    steps(activations);
    return std::vector<float>(activations.hidden(), activations.hidden() + texts.tokens() * 384);
  };
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(hidden_after([&](Activations& a) { encoder.forward(texts, a, 1, stop.get_token()); }),
            hidden_after([&](Activations& a) { encoder.embed(texts, a); }));
  EXPECT_EQ(hidden_after([&](Activations& a) { encoder.forward(texts, a, 2, stop.get_token()); }),
            hidden_after([&](Activations& a) { encoder.forward(texts, a); }));
}

INSTANTIATE_TEST_SUITE_P(Tables, EncoderTest,
                         testing::ValuesIn(kernels::available_kernels().begin,
                                           kernels::available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

}  // namespace
}  // namespace embd
