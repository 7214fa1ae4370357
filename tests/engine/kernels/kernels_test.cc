#include "engine/kernels/choose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <string_view>

#include "base/os/cpu.h"
#include "tests/engine/kernels/exact.h"
#include "tests/engine/kernels/random_bias.h"

// Every table of this build that the machine supports, against plain loops in double. The linear
// steps are in products_test.cc.

namespace embd::kernels {
namespace {

Doubles exact_attention(const Floats& qkv, std::int64_t n, std::int64_t heads, std::int64_t dim,
                        const DistanceBias& bias = {}) {
  const std::int64_t hidden = heads * dim;
  const auto at = [&](std::int64_t token, std::int64_t part, std::int64_t head, std::int64_t d) {
    return static_cast<double>(qkv[token * 3 * hidden + part * hidden + head * dim + d]);
  };
  Doubles context(static_cast<std::size_t>(n * hidden));
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t i = 0; i < n; ++i) {
      Doubles weights(static_cast<std::size_t>(n));
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        double dot = 0;
        for (std::int64_t d = 0; d < dim; ++d) dot += at(i, 0, h, d) * at(j, 1, h, d);
        const double added = bias.values == nullptr ? 0 : bias.row(h, i)[j] / std::numbers::log2e;
        sum += weights[j] = std::exp(dot / std::sqrt(static_cast<double>(dim)) + added);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t d = 0; d < dim; ++d) {
          context[i * hidden + h * dim + d] += weights[j] / sum * at(j, 2, h, d);
        }
      }
    }
  }
  return context;
}

class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!kernels().supported()) GTEST_SKIP() << "this machine has no " << kernels().name;
  }
  static const Kernels& kernels() { return *GetParam(); }
};

TEST_P(KernelsTest, AttentionIsSoftmaxOfScoresTimesValues) {
  struct Case {
    std::int64_t seq_len, heads, head_dim;
  };
  for (const auto& [n, heads, dim] : {Case{1, 1, 1}, Case{2, 3, 3}, Case{12, 12, 32},
                                      Case{33, 2, 20}, Case{100, 1, 64}, Case{256, 2, 32}}) {
    SCOPED_TRACE(testing::Message() << n << " tokens, " << heads << " heads of " << dim);
    const Floats qkv = random_floats(n * 3 * heads * dim, 12, 1.5F);
    Floats context(static_cast<std::size_t>(n * heads * dim));
    Aligned scratch(kernels().attention.scratch({n, heads, dim}));
    kernels().attention.compute(qkv.data(), {n, heads, dim}, {}, {0, heads}, scratch.data(),
                                context.data());
    expect_near(context, exact_attention(qkv, n, heads, dim), 5e-6);

    const RandomBias bias(heads, n);
    kernels().attention.compute(qkv.data(), {n, heads, dim}, bias.view(), {0, heads},
                                scratch.data(), context.data());
    expect_near(context, exact_attention(qkv, n, heads, dim, bias.view()), 5e-6);
  }
}

TEST_P(KernelsTest, AttentionBearsLargeScores) {
  constexpr std::int64_t kTokens = 20;
  constexpr std::int64_t kDim = 8;
  const Floats qkv = random_floats(kTokens * 3 * kDim, 13, 40);
  Floats context(kTokens * kDim);
  Aligned scratch(kernels().attention.scratch({kTokens, 1, kDim}));
  kernels().attention.compute(qkv.data(), {kTokens, 1, kDim}, {}, {0, 1}, scratch.data(),
                              context.data());
  for (const float v : context) ASSERT_TRUE(std::isfinite(v) && std::abs(v) < 200) << v;
}

/// The root of the mean square of the differences, as a share of that of the values.
double relative_error(const Floats& got, const Doubles& expected) {
  double squares = 0;
  double all = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    squares += (got[i] - expected[i]) * (got[i] - expected[i]);
    all += expected[i] * expected[i];
  }
  return std::sqrt(squares / all);
}

/// With steps of 1/127 of the largest, an error of some hundredths; and a value or key that is
/// large takes precision from its own column or key alone.
TEST_P(KernelsTest, AttentionInInt8IsNearTheExactOne) {
  struct Case {
    std::int64_t seq_len, heads, head_dim;
  };
  for (const Products* products : kernels().int8) {
    if (products == nullptr || !is_supported(*products)) continue;
    for (const auto& [n, heads, dim] :
         {Case{1, 1, 1}, Case{2, 3, 3}, Case{12, 12, 32}, Case{17, 2, 70}, Case{33, 2, 20},
          Case{100, 1, 64}, Case{256, 2, 32}}) {
      SCOPED_TRACE(testing::Message()
                   << products->name << ", " << n << " tokens, " << heads << " heads of " << dim);
      Floats qkv = random_floats(n * 3 * heads * dim, 12, 1.2F);
      Floats context(static_cast<std::size_t>(n * heads * dim));
      const Attention& attention = products->attention;
      Aligned scratch(attention.scratch({n, heads, dim}), std::nanf(""));
      attention.compute(qkv.data(), {n, heads, dim}, {}, {0, heads}, scratch.data(),
                        context.data());
      EXPECT_LE(relative_error(context, exact_attention(qkv, n, heads, dim)), 0.04);

      const RandomBias bias(heads, n);
      Floats with_bias(context.size());
      attention.compute(qkv.data(), {n, heads, dim}, bias.view(), {0, heads}, scratch.data(),
                        with_bias.data());
      EXPECT_LE(relative_error(with_bias, exact_attention(qkv, n, heads, dim, bias.view())), 0.04);

      // The last column of the last head's values, in one token.
      qkv[static_cast<std::size_t>(3 * heads * dim) - 1] = 1e6F;
      Floats with_large(context.size());
      attention.compute(qkv.data(), {n, heads, dim}, {}, {0, heads}, scratch.data(),
                        with_large.data());
      for (std::size_t i = 0; i < context.size(); ++i) {
        const bool last_column =
            i % static_cast<std::size_t>(heads * dim) == static_cast<std::size_t>(heads * dim) - 1;
        if (last_column) continue;
        ASSERT_EQ(with_large[i], context[i]) << "at " << i;
      }
    }
  }
}

/// The largest score has the largest numerator, and what is far below it has none.
TEST_P(KernelsTest, AttentionInInt8BearsLargeScores) {
  constexpr std::int64_t kTokens = 20;
  constexpr std::int64_t kDim = 8;
  for (const Products* products : kernels().int8) {
    if (products == nullptr || !is_supported(*products)) continue;
    for (const float size : {40.0F, 1e15F}) {
      const Floats qkv = random_floats(kTokens * 3 * kDim, 13, size);
      Floats context(kTokens * kDim);
      Aligned scratch(products->attention.scratch({kTokens, 1, kDim}));
      products->attention.compute(qkv.data(), {kTokens, 1, kDim}, {}, {0, 1}, scratch.data(),
                                  context.data());
      for (const float v : context) {
        ASSERT_TRUE(std::isfinite(v) && std::abs(v) < 5 * size) << v;
      }
    }
  }
}

TEST_P(KernelsTest, LayerNormNormalizesEachRow) {
  for (const std::int64_t hidden : {5, 16, 30, 384, 1000}) {
    const Norm norm(hidden);
    Floats x = random_floats(3 * hidden, 14, 3);
    Doubles expected = widen(x);
    exact_layer_norm(expected, 3, norm);
    kernels().layer_norm(x.data(), 3, hidden, norm.norm);
    expect_near(x, expected, 3e-6);
  }
}

TEST_P(KernelsTest, RmsNormKeepsTheMean) {
  for (const std::int64_t hidden : {5, 16, 30, 384, 1000}) {
    Norm norm(hidden);
    norm.norm.subtracts_mean = false;
    Floats x = random_floats(3 * hidden, 14, 3);
    Doubles expected = widen(x);
    for (std::int64_t r = 0; r < 3; ++r) {
      const std::span row(expected.data() + r * hidden, static_cast<std::size_t>(hidden));
      double squares = 0;
      for (const double v : row) squares += v * v / static_cast<double>(hidden);
      for (std::int64_t i = 0; i < hidden; ++i)
        row[i] = row[i] / std::sqrt(squares + 1e-12) * norm.gamma[i] + norm.beta[i];
    }
    kernels().layer_norm(x.data(), 3, hidden, norm.norm);
    expect_near(x, expected, 3e-6);
  }
}

/// Heads that share keys and values have the bytes of heads with copies of them, in each arithmetic
/// and in any ranges.
TEST_P(KernelsTest, HeadsMayShareKeysAndValues) {
  constexpr std::int64_t kHeads = 6;
  constexpr std::int64_t kDim = 20;
  constexpr std::int64_t kGroup = 3;
  for (const std::int64_t n : {1, 37, 100}) {
    const AttentionShape shape = {
        .seq_len = n, .num_heads = kHeads, .head_dim = kDim, .group = kGroup};
    const AttentionShape copied = {.seq_len = n, .num_heads = kHeads, .head_dim = kDim};
    const Floats qkv = random_floats(n * shape.qkv_width(), 36);
    Floats copies;
    for (std::int64_t t = 0; t < n; ++t) {
      const float* const row = qkv.data() + t * shape.qkv_width();
      copies.insert(copies.end(), row, row + shape.width());
      for (const auto begin : {&AttentionShape::key, &AttentionShape::value})
        for (std::int64_t head = 0; head < kHeads; ++head)
          copies.insert(copies.end(), row + (shape.*begin)(head),
                        row + (shape.*begin)(head) + kDim);
    }
    std::vector<const Attention*> all = {&kernels().attention};
    for (const auto arithmetic : {Arithmetic::bf16, Arithmetic::int8}) {
      const Products* const products = kernels().products(arithmetic);
      if (products != nullptr && products->attention.compute != nullptr)
        all.push_back(&products->attention);
    }
    for (const Attention* attention : all) {
      Aligned scratch(attention->scratch(shape), std::nanf(""));
      Floats shared(static_cast<std::size_t>(n * shape.width()), -77.0F);
      Floats expected = shared;
      for (const Range heads : {Range{0, 2}, Range{2, 5}, Range{5, 6}})
        attention->compute(qkv.data(), shape, {}, heads, scratch.data(), shared.data());
      attention->compute(copies.data(), copied, {}, {0, kHeads}, scratch.data(), expected.data());
      ASSERT_EQ(std::memcmp(shared.data(), expected.data(), shared.size() * sizeof(float)), 0) << n;
    }
  }
}

TEST_P(KernelsTest, EveryHeadSize) {
  constexpr std::int64_t kTokens = 17;
  constexpr std::int64_t kHeads = 2;
  for (std::int64_t dim = 1; dim <= 70; ++dim) {
    SCOPED_TRACE(dim);
    const Floats qkv = random_floats(kTokens * 3 * kHeads * dim, 32);
    Floats context(static_cast<std::size_t>(kTokens * kHeads * dim + 1), -77.0F);
    Aligned scratch(kernels().attention.scratch({kTokens, kHeads, dim}));
    kernels().attention.compute(qkv.data(), {kTokens, kHeads, dim}, {}, {0, kHeads}, scratch.data(),
                                context.data());
    ASSERT_EQ(context.back(), -77.0F);
    context.pop_back();
    expect_near(context, exact_attention(qkv, kTokens, kHeads, dim), 3e-6);
  }
}

TEST_P(KernelsTest, HeadsApartAreHeadsTogether) {
  constexpr std::int64_t kTokens = 23;
  constexpr std::int64_t kHeads = 5;
  constexpr std::int64_t kDim = 12;
  const Floats qkv = random_floats(kTokens * 3 * kHeads * kDim, 34);
  Aligned scratch(kernels().attention.scratch({kTokens, kHeads, kDim}));
  Floats together(kTokens * kHeads * kDim);
  kernels().attention.compute(qkv.data(), {kTokens, kHeads, kDim}, {}, {0, kHeads}, scratch.data(),
                              together.data());
  Floats apart(together.size(), -77.0F);
  kernels().attention.compute(qkv.data(), {kTokens, kHeads, kDim}, {}, {0, 2}, scratch.data(),
                              apart.data());
  kernels().attention.compute(qkv.data(), {kTokens, kHeads, kDim}, {}, {4, 5}, scratch.data(),
                              apart.data());
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t d = 2 * kDim; d < 4 * kDim; ++d) {
      ASSERT_EQ(apart[t * kHeads * kDim + d], -77.0F);
    }
  }
  kernels().attention.compute(qkv.data(), {kTokens, kHeads, kDim}, {}, {2, 2}, scratch.data(),
                              apart.data());
  kernels().attention.compute(qkv.data(), {kTokens, kHeads, kDim}, {}, {2, 4}, scratch.data(),
                              apart.data());
  ASSERT_EQ(std::memcmp(apart.data(), together.data(), apart.size() * sizeof(float)), 0);
}

TEST_P(KernelsTest, EveryTextLength) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    SCOPED_TRACE(n);
    const Floats qkv = random_floats(n * 3 * 8, 33);
    Floats context(static_cast<std::size_t>(n * 8));
    Aligned scratch(kernels().attention.scratch({n, 2, 4}), std::nanf(""));
    kernels().attention.compute(qkv.data(), {n, 2, 4}, {}, {0, 2}, scratch.data(), context.data());
    expect_near(context, exact_attention(qkv, n, 2, 4), 3e-6);
  }
}

Floats every_step(float first, float last, std::int64_t steps) {
  Floats x(static_cast<std::size_t>(steps + 1));
  for (std::int64_t i = 0; i <= steps; ++i) {
    x[i] = first + (last - first) * static_cast<float>(i) / static_cast<float>(steps);
  }
  return x;
}

TEST_P(KernelsTest, Exp2IsWithinItsBound) {
  const Floats x = every_step(-126, 127, 1'000'003);
  Floats y = x;
  kernels().exp2(y.data(), static_cast<std::int64_t>(y.size()));
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] / std::exp2(double{x[i]}) - 1));
  }
  EXPECT_LE(worst, 2e-7);
}

TEST_P(KernelsTest, GeluIsWithinItsBound) {
  Floats x = every_step(-10, 10, 1'000'003);
  for (const float large : {-1e30F, -100.0F, 100.0F, 1e30F}) x.push_back(large);
  Floats y = x;
  kernels().gelu(y.data(), static_cast<std::int64_t>(y.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = 0.5 * x[i] * std::erfc(-x[i] / std::numbers::sqrt2);
    ASSERT_NEAR(y[i], exact, 3e-7) << x[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, KernelsTest,
                         testing::ValuesIn(available_kernels().begin, available_kernels().end),
                         [](const auto& table) { return std::string(table.param->name); });

TEST(ChooseKernels, ListEndsWithThePortableTableAndTheReference) {
  const KernelList list = available_kernels();
  ASSERT_LE(list.begin + 2, list.end);
  EXPECT_STREQ(list.end[-1]->name, "reference");
  EXPECT_TRUE(list.end[-1]->supported());
  const auto* const portable = std::find_if(list.begin, list.end, [](const Kernels* table) {
    return std::string_view(table->name) == "portable";
  });
  ASSERT_NE(portable, list.end);
  EXPECT_TRUE((*portable)->supported());
  // The kernels that are chosen are never a model of instructions.
  EXPECT_STRNE((*choose_kernels())->name, "amx_model");
}

TEST(ChooseKernels, EnvironmentForcesOne) {
  for (const char* name : {"portable", "reference"}) {
    ::setenv("EMBD_KERNELS", name, 1);
    const auto forced = choose_kernels();
    ::unsetenv("EMBD_KERNELS");
    ASSERT_TRUE(forced);
    EXPECT_STREQ((*forced)->name, name);
  }
  ASSERT_TRUE(choose_kernels());
}

TEST(ChooseKernels, AnUnknownNameIsAnErrorThatListsTheOthers) {
  for (const char* name : {"abacus", "AVX2", "avx512_vnni"}) {
    ::setenv("EMBD_KERNELS", name, 1);
    const auto unknown = choose_kernels();
    ::unsetenv("EMBD_KERNELS");
    ASSERT_FALSE(unknown) << name;
    EXPECT_EQ(unknown.error().code(), ErrorCode::invalid_argument);
    EXPECT_NE(unknown.error().message().find(name), std::string::npos);
    EXPECT_NE(unknown.error().message().find("portable"), std::string::npos);
  }
}

/// On Intel's processors its instructions take twice as long as those of float32.
TEST(ChooseKernels, Avx512Bf16IsChosenWhereItIsFast) {
#if defined(__x86_64__)
  if (!cpu_features().avx512_bf16) GTEST_SKIP() << "this machine has no avx512_bf16";
  ::setenv("EMBD_KERNELS", "avx512", 1);
  const auto kernels = choose_kernels(Arithmetic::bf16);
  ::unsetenv("EMBD_KERNELS");
  ASSERT_TRUE(kernels);
  EXPECT_STREQ((*kernels)->products(Arithmetic::bf16)->name,
               __builtin_cpu_is("intel") ? "avx512" : "avx512_bf16");
#else
  GTEST_SKIP() << "no such instruction on this platform";
#endif
}

TEST(ChooseKernels, TheReferenceAloneHasNoBf16) {
  ASSERT_TRUE(choose_kernels(Arithmetic::bf16));
  ::setenv("EMBD_KERNELS", "reference", 1);
  const auto bf16 = choose_kernels(Arithmetic::bf16);
  const auto int8 = choose_kernels(Arithmetic::int8);
  ::unsetenv("EMBD_KERNELS");
  ASSERT_FALSE(bf16);
  EXPECT_NE(bf16.error().message().find("bf16"), std::string::npos);
  ASSERT_TRUE(int8);
}

}  // namespace
}  // namespace embd::kernels
