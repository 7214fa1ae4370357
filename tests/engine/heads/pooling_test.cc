#include "engine/heads/pooling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace embd {
namespace {

// Three tokens of four components.
const std::vector<float> num_rows = {1, -2, 3, 0,  //
                                     3, -4, 1, 0,  //
                                     5, -6, 2, 0};

std::vector<float> pooled(Pooling pooling, bool normalize, std::size_t dim = 4) {
  const PoolingHead head(
      {.pooling = pooling, .normalize = normalize, .dim = dim, .pooled_dim = dim});
  std::vector<float> out(head.width());
  std::vector<float> scratch;
  head.apply({num_rows.data(), 3, 4}, scratch, out);
  return out;
}

TEST(Pooling, MeanClsMax) {
  EXPECT_EQ(pooled(Pooling::mean, false), (std::vector<float>{3, -4, 2, 0}));
  EXPECT_EQ(pooled(Pooling::cls, false), (std::vector<float>{1, -2, 3, 0}));
  EXPECT_EQ(pooled(Pooling::max, false), (std::vector<float>{5, -2, 3, 0}));
}

TEST(Pooling, WeightsTheLengthAndTheEnds) {
  EXPECT_EQ(pooled(Pooling::mean_sqrt_len_tokens, false),
            (std::vector<float>{static_cast<float>(9 / std::sqrt(3.0)),
                                static_cast<float>(-12 / std::sqrt(3.0)),
                                static_cast<float>(6 / std::sqrt(3.0)), 0}));
  EXPECT_EQ(pooled(Pooling::weightedmean, false),
            (std::vector<float>{static_cast<float>(22.0 / 6), static_cast<float>(-28.0 / 6),
                                static_cast<float>(11.0 / 6), 0}));
  EXPECT_EQ(pooled(Pooling::lasttoken, false), (std::vector<float>{5, -6, 2, 0}));
}

/// The last of the joined poolings is cut where only some components are wanted.
TEST(Pooling, JoinsInTheGivenOrder) {
  const std::vector<Pooling> joined = {Pooling::lasttoken, Pooling::cls};
  for (const std::size_t dim : {8, 6, 3}) {
    const PoolingHead head({.pooling = Pooling::joined,
                            .joined = joined,
                            .normalize = false,
                            .dim = dim,
                            .pooled_dim = dim});
    std::vector<float> out(dim);
    std::vector<float> scratch;
    head.apply({num_rows.data(), 3, 4}, scratch, out);
    const std::vector<float> whole = {5, -6, 2, 0, 1, -2, 3, 0};
    EXPECT_EQ(out, std::vector<float>(whole.begin(), whole.begin() + static_cast<int>(dim)));
  }
}

TEST(Pooling, TruncatesThenNormalizes) {
  EXPECT_EQ(pooled(Pooling::mean, false, 2), (std::vector<float>{3, -4}));
  EXPECT_EQ(pooled(Pooling::mean, true, 2), (std::vector<float>{0.6F, -0.8F}));
}

/// As a model's configuration cuts vectors: what is left has another length.
TEST(Pooling, MayNormalizeMoreThanItKeeps) {
  const PoolingHead head({.pooling = Pooling::mean, .dim = 1, .pooled_dim = 2});
  std::vector<float> out(1);
  std::vector<float> scratch;
  head.apply({num_rows.data(), 3, 4}, scratch, out);
  EXPECT_EQ(out, std::vector<float>{0.6F});
}

TEST(Pooling, NothingToNormalizeStaysNothing) {
  const std::vector<float> zeros(8);
  std::vector<float> out(4, 1.0F);
  std::vector<float> scratch;
  PoolingHead({.dim = 4, .pooled_dim = 4}).apply({zeros.data(), 2, 4}, scratch, out);
  EXPECT_EQ(out, std::vector<float>(4));
}

TEST(Pooling, MeanOfManyColumnsIsExactToHalfAnUlp) {
  constexpr std::int64_t num_tokens = 256;
  constexpr std::int64_t hidden = 100;
  std::vector<float> rows(num_tokens * hidden);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = std::sin(static_cast<float>(i)) * 1000.0F;
  }
  std::vector<float> out(hidden);
  pool({rows.data(), num_tokens, hidden}, Pooling::mean, out);
  for (std::int64_t c = 0; c < hidden; ++c) {
    long double sum = 0;
    for (std::int64_t t = 0; t < num_tokens; ++t) sum += rows[t * hidden + c];
    EXPECT_FLOAT_EQ(out[c], static_cast<float>(sum / num_tokens));
  }
}

}  // namespace
}  // namespace embd
