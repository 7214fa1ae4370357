#include "engine/kernels/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

// Every table of this build that the machine supports, against a plain loop in double, and each row
// against itself among other rows.

namespace embd::kernels {
namespace {

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  explicit AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  bool operator==(const AlignedAllocator&) const = default;
};
using Aligned = std::vector<float, AlignedAllocator<float>>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

Floats random_floats(std::int64_t n, unsigned seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  Floats values(static_cast<std::size_t>(n));
  for (float& value : values) value = normal(random);
  return values;
}

/// A packed matrix with its bias, and the values it was packed from.
struct Weight {
  Weight(const Kernels& kernels, std::int64_t out, std::int64_t in, unsigned seed)
      : values(random_floats(out * in, seed, 1 / std::sqrt(static_cast<float>(in)))),
        bias(random_floats(out, seed + 1)),
        packed(kernels.packed_bytes(out, in) / sizeof(float)),
        linear{packed.data(), bias.data(), in, out} {
    kernels.pack(values.data(), out, in, packed.data());
  }
  Floats values;
  Floats bias;
  Aligned packed;
  Linear linear;
};

struct Norm {
  explicit Norm(std::int64_t hidden)
      : gamma(random_floats(hidden, 71)),
        beta(random_floats(hidden, 72)),
        norm{gamma.data(), beta.data(), 1e-12F} {}
  Floats gamma;
  Floats beta;
  LayerNorm norm;
};

Doubles exact_linear(const Doubles& x, std::int64_t rows, const Weight& w) {
  const std::int64_t in = w.linear.in;
  const std::int64_t out = w.linear.out;
  Doubles y(static_cast<std::size_t>(rows * out));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t o = 0; o < out; ++o) {
      double sum = w.bias[o];
      for (std::int64_t k = 0; k < in; ++k) {
        sum += x[r * in + k] * static_cast<double>(w.values[o * in + k]);
      }
      y[r * out + o] = sum;
    }
  }
  return y;
}

void exact_layer_norm(Doubles& x, std::int64_t rows, const Norm& norm) {
  const auto hidden = static_cast<std::int64_t>(norm.gamma.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::span row(x.data() + r * hidden, static_cast<std::size_t>(hidden));
    double mean = 0;
    for (const double v : row) mean += v / static_cast<double>(hidden);
    double variance = 0;
    for (const double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(hidden);
    for (std::int64_t i = 0; i < hidden; ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-12) * norm.gamma[i] + norm.beta[i];
    }
  }
}

Doubles exact_attention(const Floats& qkv, std::int64_t n, std::int64_t heads, std::int64_t dim) {
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
        sum += weights[j] = std::exp(dot / std::sqrt(static_cast<double>(dim)));
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

Doubles widen(const Floats& values) {
  return {values.begin(), values.end()};
}

void expect_near(const Floats& got, const Doubles& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << "at " << i;
  }
}

struct Shape {
  std::int64_t rows, in, out;
};
constexpr Shape kShapes[] = {{1, 1, 1},    {3, 7, 5},     {2, 16, 16},   {5, 24, 72},
                             {17, 33, 31}, {64, 48, 130}, {37, 384, 96}, {15, 1536, 50}};

class KernelsTest : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!kernels().supported()) GTEST_SKIP() << "this machine has no " << kernels().name;
  }
  static const Kernels& kernels() { return *GetParam(); }
};

TEST_P(KernelsTest, LinearIsTheProduct) {
  for (const auto& [rows, in, out] : kShapes) {
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight w(kernels(), out, in, 1);
    const Floats x = random_floats(rows * in, 2);
    Floats y(static_cast<std::size_t>(rows * out));
    kernels().linear(x.data(), rows, w.linear, y.data());
    expect_near(y, exact_linear(widen(x), rows, w), 4e-6);
  }
}

TEST_P(KernelsTest, LinearAddNormMayWriteOverItsResidual) {
  for (const auto& [rows, in, out] : kShapes) {
    if (out < 5) continue;  // A norm over one value magnifies rounding without bound.
    SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out);
    const Weight w(kernels(), out, in, 3);
    const Norm norm(out);
    const Floats x = random_floats(rows * in, 4);
    Floats y = random_floats(rows * out, 5);
    Doubles expected = exact_linear(widen(x), rows, w);
    for (std::size_t i = 0; i < y.size(); ++i) expected[i] += y[i];
    exact_layer_norm(expected, rows, norm);
    kernels().linear_add_norm(x.data(), rows, w.linear, y.data(), norm.norm, y.data());
    expect_near(y, expected, 1e-5);
  }
}

TEST_P(KernelsTest, FeedForwardMayWriteOverItsInput) {
  for (const auto& [rows, hidden, intermediate] :
       {Shape{1, 8, 8}, Shape{3, 24, 40}, Shape{33, 30, 77}, Shape{70, 64, 256}}) {
    SCOPED_TRACE(testing::Message() << rows << " x " << hidden << " -> " << intermediate);
    const Weight up(kernels(), intermediate, hidden, 6);
    const Weight down(kernels(), hidden, intermediate, 8);
    const Norm norm(hidden);
    Floats x = random_floats(rows * hidden, 10);
    Doubles middle = exact_linear(widen(x), rows, up);
    for (double& v : middle) v = 0.5 * v * (1 + std::erf(v / std::numbers::sqrt2));
    Doubles expected = exact_linear(middle, rows, down);
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] += x[i];
    exact_layer_norm(expected, rows, norm);
    Aligned scratch(kernels().feed_forward_scratch(rows, hidden, intermediate));
    kernels().feed_forward(x.data(), rows, up.linear, down.linear, norm.norm, scratch.data(),
                           x.data());
    expect_near(x, expected, 1e-5);
  }
}

TEST_P(KernelsTest, AttentionIsSoftmaxOfScoresTimesValues) {
  struct Case {
    std::int64_t seq_len, heads, head_dim;
  };
  for (const auto& [n, heads, dim] : {Case{1, 1, 1}, Case{2, 3, 3}, Case{12, 12, 32},
                                      Case{33, 2, 20}, Case{100, 1, 64}, Case{256, 2, 32}}) {
    SCOPED_TRACE(testing::Message() << n << " tokens, " << heads << " heads of " << dim);
    const Floats qkv = random_floats(n * 3 * heads * dim, 12, 1.5F);
    Floats context(static_cast<std::size_t>(n * heads * dim));
    Aligned scratch(kernels().attention_scratch(n, heads, dim));
    kernels().attention(qkv.data(), n, heads, dim, scratch.data(), context.data());
    expect_near(context, exact_attention(qkv, n, heads, dim), 5e-6);
  }
}

TEST_P(KernelsTest, AttentionBearsLargeScores) {
  constexpr std::int64_t kTokens = 20;
  constexpr std::int64_t kDim = 8;
  const Floats qkv = random_floats(kTokens * 3 * kDim, 13, 40);
  Floats context(kTokens * kDim);
  Aligned scratch(kernels().attention_scratch(kTokens, 1, kDim));
  kernels().attention(qkv.data(), kTokens, 1, kDim, scratch.data(), context.data());
  for (const float v : context) ASSERT_TRUE(std::isfinite(v) && std::abs(v) < 200) << v;
}

TEST_P(KernelsTest, LayerNormNormalisesEachRow) {
  for (const std::int64_t hidden : {5, 16, 30, 384, 1000}) {
    const Norm norm(hidden);
    Floats x = random_floats(3 * hidden, 14, 3);
    Doubles expected = widen(x);
    exact_layer_norm(expected, 3, norm);
    kernels().layer_norm(x.data(), 3, hidden, norm.norm);
    expect_near(x, expected, 3e-6);
  }
}

/// A row computed alone has the bytes it has among any number of others, at any alignment.
TEST_P(KernelsTest, RowsDoNotDependOnTheirNeighbours) {
  constexpr std::int64_t kRows = 67;
  constexpr std::int64_t kHidden = 30;
  constexpr std::int64_t kIntermediate = 77;
  const Weight up(kernels(), kIntermediate, kHidden, 20);
  const Weight down(kernels(), kHidden, kIntermediate, 22);
  const Norm norm(kHidden);
  const Floats x = random_floats(kRows * kHidden, 24);
  const Floats wide = random_floats(kRows * kIntermediate, 25);
  Aligned scratch(kernels().feed_forward_scratch(kRows, kHidden, kIntermediate));

  struct Outputs {
    Floats linear, added, forward, normed;
  };
  const auto compute = [&](std::int64_t first, std::int64_t rows) {
    const float* in = x.data() + first * kHidden;
    Outputs out;
    out.linear.resize(static_cast<std::size_t>(rows * kIntermediate));
    out.added.resize(static_cast<std::size_t>(rows * kHidden));
    out.forward.resize(out.added.size());
    out.normed.assign(in, in + rows * kHidden);
    kernels().linear(in, rows, up.linear, out.linear.data());
    kernels().linear_add_norm(wide.data() + first * kIntermediate, rows, down.linear, in, norm.norm,
                              out.added.data());
    kernels().feed_forward(in, rows, up.linear, down.linear, norm.norm, scratch.data(),
                           out.forward.data());
    kernels().layer_norm(out.normed.data(), rows, kHidden, norm.norm);
    return out;
  };
  const auto same = [](const Floats& part, const Floats& whole, std::int64_t first_value) {
    return std::memcmp(part.data(), whole.data() + first_value, part.size() * sizeof(float)) == 0;
  };

  const Outputs whole = compute(0, kRows);
  for (const std::int64_t rows : {1, 2, 3, 5, 7, 13, 14, 15, 16, 31, 33, 48}) {
    for (std::int64_t first = 0; first + rows <= kRows; first += rows) {
      const Outputs part = compute(first, rows);
      ASSERT_TRUE(same(part.linear, whole.linear, first * kIntermediate)) << first << "+" << rows;
      ASSERT_TRUE(same(part.added, whole.added, first * kHidden)) << first << "+" << rows;
      ASSERT_TRUE(same(part.forward, whole.forward, first * kHidden)) << first << "+" << rows;
      ASSERT_TRUE(same(part.normed, whole.normed, first * kHidden)) << first << "+" << rows;
    }
  }
}

TEST_P(KernelsTest, EveryNumberOfRowsAndAnyAlignment) {
  constexpr std::int64_t kIn = 19;
  constexpr std::int64_t kOut = 43;
  const Weight w(kernels(), kOut, kIn, 30);
  for (std::int64_t rows = 1; rows <= 70; ++rows) {
    SCOPED_TRACE(rows);
    const std::int64_t shift = rows % 16;  // floats off the 64-byte boundary
    Aligned x(static_cast<std::size_t>(shift + rows * kIn));
    const Floats values = random_floats(rows * kIn, 31);
    std::ranges::copy(values, x.begin() + shift);
    // A guard on each side: a store past the row would show.
    Aligned y(static_cast<std::size_t>(shift + rows * kOut + 1), -77.0F);
    kernels().linear(x.data() + shift, rows, w.linear, y.data() + shift);
    const Floats got(y.begin() + shift, y.end() - 1);
    expect_near(got, exact_linear(widen(values), rows, w), 2e-6);
    ASSERT_EQ(y.back(), -77.0F);
    ASSERT_TRUE(shift == 0 || y[static_cast<std::size_t>(shift) - 1] == -77.0F);
  }
}

TEST_P(KernelsTest, EveryHeadSize) {
  constexpr std::int64_t kTokens = 17;
  constexpr std::int64_t kHeads = 2;
  for (std::int64_t dim = 1; dim <= 70; ++dim) {
    SCOPED_TRACE(dim);
    const Floats qkv = random_floats(kTokens * 3 * kHeads * dim, 32);
    Floats context(static_cast<std::size_t>(kTokens * kHeads * dim + 1), -77.0F);
    Aligned scratch(kernels().attention_scratch(kTokens, kHeads, dim));
    kernels().attention(qkv.data(), kTokens, kHeads, dim, scratch.data(), context.data());
    ASSERT_EQ(context.back(), -77.0F);
    context.pop_back();
    expect_near(context, exact_attention(qkv, kTokens, kHeads, dim), 3e-6);
  }
}

TEST_P(KernelsTest, EveryTextLength) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    SCOPED_TRACE(n);
    const Floats qkv = random_floats(n * 3 * 8, 33);
    Floats context(static_cast<std::size_t>(n * 8));
    Aligned scratch(kernels().attention_scratch(n, 2, 4), std::nanf(""));
    kernels().attention(qkv.data(), n, 2, 4, scratch.data(), context.data());
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

TEST(ChooseKernels, ListEndsWithTheReference) {
  const KernelList list = available_kernels();
  ASSERT_LT(list.begin, list.end);
  EXPECT_STREQ(list.end[-1]->name, "reference");
  EXPECT_TRUE(list.end[-1]->supported());
}

TEST(ChooseKernels, EnvironmentForcesOne) {
  ::setenv("EMBD_KERNELS", "reference", 1);
  const Kernels* forced = choose_kernels();
  ::setenv("EMBD_KERNELS", "abacus", 1);
  const Kernels* unknown = choose_kernels();
  ::unsetenv("EMBD_KERNELS");
  ASSERT_NE(forced, nullptr);
  EXPECT_STREQ(forced->name, "reference");
  EXPECT_EQ(unknown, nullptr);
  EXPECT_NE(choose_kernels(), nullptr);
}

}  // namespace
}  // namespace embd::kernels
