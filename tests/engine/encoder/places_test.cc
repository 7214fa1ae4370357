#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "engine/encoder/places.h"
#include "engine/encoder/residual.h"
#include "engine/kernels/choose.h"

// Rotation and windows, which depend on the places of tokens, and the gates of the encoder.

namespace embd {
namespace {

TEST(Rotation, TurnsPairsOfTheHalvesByTheirAngles) {
  const Rotation rotation(4, 4, 100);
  std::vector<float> qkv(4 * 3 * 8, 1.0F);
  rotation.apply(qkv.data(), {.seq_len = 4, .num_heads = 2, .head_dim = 4}, {1, 2});
  rotation.apply(qkv.data(), {.seq_len = 4, .num_heads = 2, .head_dim = 4}, {3, 4});
  for (int place = 0; place < 4; ++place) {
    const float* const row = qkv.data() + place * 24;
    for (int i = 0; i < 24; ++i) {
      const bool is_rotated = i < 16 && i % 8 >= 4;
      const double angle = place * (i % 2 == 0 ? 1 : 0.1);
      const double sign = i % 4 < 2 ? -1 : 1;
      const double expected = is_rotated ? std::cos(angle) + sign * std::sin(angle) : 1;
      EXPECT_NEAR(row[i], expected, 1e-6) << place << ' ' << i;
    }
  }
}

/// The frequencies of gte-multilingual: base 160,000 instead of 20,000, divided by 8^(1/32).
TEST(Rotation, FrequenciesMayBeScaled) {
  const Rotation rotation(100, 64, 20'000, 8);
  std::vector<float> qkv(100 * 3 * 64);
  for (std::size_t i = 0; i < qkv.size(); ++i) qkv[i] = i % 64 < 32 ? 1.0F : 0.0F;
  rotation.apply(qkv.data(), {.seq_len = 100, .num_heads = 1, .head_dim = 64}, {0, 2});
  for (int j = 0; j < 32; ++j) {
    const double angle = 99 * std::pow(160'000.0, -j / 32.0) / std::pow(8.0, 1 / 32.0);
    EXPECT_NEAR(qkv[99 * 192 + j], std::cos(angle), 2e-5) << j;
    EXPECT_NEAR(qkv[99 * 192 + 32 + j], std::sin(angle), 2e-5) << j;
  }
}

/// The attention of the keys that each query sees, up to so many before and behind it, in double
/// precision.
std::vector<double> expected_context(const std::vector<float>& qkv, int seq_len, int before,
                                     int after) {
  constexpr int heads = 2;
  constexpr int dim = 8;
  constexpr int hidden = heads * dim;
  std::vector<double> context(static_cast<std::size_t>(seq_len * hidden));
  for (int head = 0; head < heads; ++head) {
    for (int q = 0; q < seq_len; ++q) {
      double sum = 0;
      double* const row = context.data() + q * hidden + head * dim;
      for (int k = std::max(0, q - before); k <= std::min(seq_len - 1, q + after); ++k) {
        const float* const query = qkv.data() + q * 3 * hidden + head * dim;
        const float* const key = qkv.data() + k * 3 * hidden + hidden + head * dim;
        double score = 0;
        for (int d = 0; d < dim; ++d) score += static_cast<double>(query[d]) * key[d];
        const double weight = std::exp(score / std::sqrt(dim));
        sum += weight;
        for (int d = 0; d < dim; ++d) row[d] += weight * key[hidden + d];
      }
      for (int d = 0; d < dim; ++d) row[d] /= sum;
    }
  }
  return context;
}

/// Lengths around the window, and around the blocks that long texts are computed in.
TEST(Band, AQuerySeesTheKeysOfItsWindowOrEarlierOnes) {
  const kernels::Attention& attention = kernels::choose_kernels().value()->attention;
  for (const int window : {1, 8, 40, 0}) {
    const bool causal = window == 0;
    const Band band = causal ? Band::causal(700) : Band(static_cast<std::uint32_t>(window), 700);
    for (const int seq_len :
         {1, 2, 8, 9, 10, 40, 41, 42, 80, 81, 82, 127, 128, 129, 160, 161, 240, 241, 700}) {
      const kernels::AttentionShape shape = {seq_len, 2, 8};
      std::mt19937 random(static_cast<unsigned>(seq_len));
      std::vector<float> qkv(static_cast<std::size_t>(seq_len) * 48);
      for (float& value : qkv) value = static_cast<float>(random() % 2001) / 1000 - 1;
      std::vector<float> scratch(attention.scratch(shape) + 16);
      std::vector<float> context(static_cast<std::size_t>(seq_len) * 16, -9);
      float* const aligned =
          scratch.data() + (64 - reinterpret_cast<std::uintptr_t>(scratch.data()) % 64) % 64 / 4;
      const std::int64_t blocks = band.num_blocks(seq_len);
      for (std::int64_t i = 0; i < blocks; ++i) {
        band.compute(attention, qkv.data(), shape, {0, 2}, {i, i + 1}, aligned, context.data());
      }
      const std::vector<double> expected =
          expected_context(qkv, seq_len, causal ? 700 : window, window);
      for (std::size_t i = 0; i < context.size(); ++i)
        ASSERT_NEAR(context[i], expected[i], 2e-6) << window << ' ' << seq_len << ' ' << i;
    }
  }
}

TEST(Gate, IsComputedForEveryActivationButRelu) {
  for (const auto& [name, activation] : activation_names)
    EXPECT_EQ(gate_of(activation) != nullptr, activation != Activation::relu) << name;
}

}  // namespace
}  // namespace embd
