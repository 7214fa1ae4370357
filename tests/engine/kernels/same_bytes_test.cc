#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/engine/kernels/bf16.h"
#include "tests/engine/kernels/exact.h"
#include "tests/engine/kernels/random_bias.h"

// Every table for one instruction set, and the model of AMX, against the portable one: each
// operation, bit for bit, over values of every kind. A NaN is a NaN everywhere; which one it is, is
// the processor's choice. Where there is no such table the portable one is held by the hashes of
// encoder_test and golden_test.

namespace embd::kernels {
namespace {

/// A kind of numbers that an operation may meet.
struct Kind {
  const char* name;
  Floats (*make)(std::int64_t n, unsigned seed);
};

/// Nearly normal, and the same on every platform, which std::normal_distribution need not be.
Floats scaled(std::int64_t n, unsigned seed, float scale) {
  std::mt19937 random(seed);
  Floats values(static_cast<std::size_t>(n));
  for (float& v : values) {
    std::int64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<std::int64_t>(random() >> 8U) - (1 << 23);
    v = static_cast<float>(sum) * 0x1p-24F * scale;
  }
  return values;
}

/// Any bits at all, with sizes that products and their sums can bear: exponents of 2^-60 to 2^60.
Floats wide_range(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  Floats values(static_cast<std::size_t>(n));
  for (float& v : values) {
    const auto mantissa = static_cast<std::uint32_t>(random() >> 9U);
    const int exponent = static_cast<int>(random() % 121) - 60;
    v = std::ldexp(std::bit_cast<float>(0x3F800000U | mantissa), exponent);
    if (random() % 2 == 0) v = -v;
  }
  return values;
}

/// Ordinary numbers with, here and there, what is not: zeros of both signs, denormals, the largest,
/// infinities and NaN.
Floats special(std::int64_t n, unsigned seed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSpecial[] = {0.0F,     -0.0F, 1e-45F, -1e-45F,   1.1754942e-38F, 3.4e38F,
                                -3.4e38F, 1e38F, 1e-38F, kInfinity, -kInfinity,     NAN};
  std::mt19937 random(seed);
  Floats values = scaled(n, seed + 1, 1);
  for (float& v : values) {
    if (random() % 40 == 0) v = kSpecial[random() % std::size(kSpecial)];
  }
  return values;
}

constexpr Kind kKinds[] = {
    {"ordinary", [](std::int64_t n, unsigned seed) { return scaled(n, seed, 1.5F); }},
    {"tiny", [](std::int64_t n, unsigned seed) { return scaled(n, seed, 1e-20F); }},
    // Products of two, and their sums, are about 2^-126.
    {"near the least", [](std::int64_t n, unsigned seed) { return scaled(n, seed, 3e-19F); }},
    {"huge", [](std::int64_t n, unsigned seed) { return scaled(n, seed, 1e15F); }},
    {"denormal", [](std::int64_t n, unsigned seed) { return scaled(n, seed, 3e-39F); }},
    {"wide range", wide_range},
    {"special", special},
    {"any bits",
     [](std::int64_t n, unsigned seed) {
       std::mt19937 random(seed);
       Floats values(static_cast<std::size_t>(n));
       for (float& v : values) v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
       return values;
     }},
};

const Kernels& portable() {
  const auto [begin, end] = available_kernels();
  for (const auto* table = begin; table != end; ++table) {
    if (std::string_view((*table)->name) == "portable") return **table;
  }
  std::abort();
}

std::vector<const Kernels*> tables_of_instruction_sets() {
  std::vector<const Kernels*> tables;
  const auto [begin, end] = available_kernels();
  for (const auto* table = begin; table != end; ++table) {
    const std::string_view name = (*table)->name;
    if (name != "portable" && name != "reference") tables.push_back(*table);
  }
  return tables;
}

void expect_same_bits(std::span<const float> got, std::span<const float> expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "at " << i << ": " << got[i] << ", portable " << expected[i];
  }
}

class SameBytesTest : public testing::TestWithParam<const Kernels*> {
 protected:
  void SetUp() override {
    if (!kernels().supported()) GTEST_SKIP() << "this machine has no " << kernels().name;
  }
  static const Kernels& kernels() { return *GetParam(); }
};

TEST_P(SameBytesTest, Functions) {
  for (const Kind& kind : kKinds) {
    for (const std::int64_t n : {1, 5, 16, 37, 4099}) {
      SCOPED_TRACE(testing::Message() << n << " " << kind.name);
      for (const auto function : {&Kernels::exp2, &Kernels::gelu}) {
        Floats x = kind.make(n, 7);
        if (function == &Kernels::exp2) {
          // Its range; a NaN stays.
          for (float& v : x) v = v > 127 ? 127 - std::fmod(v, 100.0F) : v;
        }
        Floats expected = x;
        (portable().*function)(expected.data(), n);
        (kernels().*function)(x.data(), n);
        expect_same_bits(x, expected);
      }
    }
  }
}

TEST_P(SameBytesTest, LayerNorm) {
  for (const Kind& kind : kKinds) {
    for (std::int64_t hidden = 1; hidden <= 400; hidden += hidden < 140 ? 1 : 29) {
      SCOPED_TRACE(testing::Message() << hidden << " " << kind.name);
      for (const bool subtracts_mean : {true, false}) {
        Norm norm(hidden);
        norm.norm.subtracts_mean = subtracts_mean;
        Floats x = kind.make(3 * hidden, 8);
        Floats expected = x;
        portable().layer_norm(expected.data(), 3, hidden, norm.norm);
        kernels().layer_norm(x.data(), 3, hidden, norm.norm);
        expect_same_bits(x, expected);
      }
    }
  }
}

Floats context_of(const Attention& attention, const Floats& qkv, std::int64_t n, std::int64_t heads,
                  std::int64_t dim, const DistanceBias& bias = {}) {
  Floats context(static_cast<std::size_t>(n * heads * dim));
  Aligned scratch(attention.scratch({n, heads, dim}), std::nanf(""));
  attention.compute(qkv.data(), {n, heads, dim}, bias, {0, heads}, scratch.data(), context.data());
  // Any part of the queries has the same contexts, and no others are written.
  const Range part = {n / 3, n - n / 4};
  Floats some(context.size(), -77.0F);
  attention.compute(qkv.data(), {n, heads, dim, part}, bias, {0, heads}, scratch.data(),
                    some.data());
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::int64_t query = static_cast<std::int64_t>(i) / (heads * dim);
    const float expected = query >= part.begin && query < part.end ? context[i] : -77.0F;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(some[i]), std::bit_cast<std::uint32_t>(expected)) << i;
  }
  return context;
}

TEST_P(SameBytesTest, Attention) {
  struct Case {
    std::int64_t seq_len, heads, head_dim;
  };
  std::vector<Case> cases = {{12, 12, 32}, {33, 2, 20}, {100, 1, 64}, {131, 3, 32}};
  for (std::int64_t n = 1; n <= 50; ++n) cases.push_back({n, 2, 1 + n % 37});
  for (const Kind& kind : kKinds) {
    for (const auto& [n, heads, dim] : cases) {
      SCOPED_TRACE(testing::Message()
                   << n << " tokens, " << heads << " heads of " << dim << ", " << kind.name);
      const Floats qkv = kind.make(n * 3 * heads * dim, 9);
      const RandomBias random(heads, n + 3);
      for (const DistanceBias& bias : {DistanceBias(), random.view()}) {
        expect_same_bits(context_of(kernels().attention, qkv, n, heads, dim, bias),
                         context_of(portable().attention, qkv, n, heads, dim, bias));
        const Floats in_int8 = context_of(portable().int8[0]->attention, qkv, n, heads, dim, bias);
        for (const Products* products : kernels().int8) {
          if (products == nullptr || !is_supported(*products)) continue;
          SCOPED_TRACE(products->name);
          expect_same_bits(context_of(products->attention, qkv, n, heads, dim, bias), in_int8);
        }
      }
    }
  }
}

/// A matrix of some products.
struct Packed {
  Packed(const Products& products, const WeightValues& weight, const float* bias,
         const float* inverse_smooth)
      : memory(products.packed_bytes(weight.out, weight.in) / sizeof(float)),
        linear{memory.data(), bias, weight.in, weight.out, inverse_smooth, weight.block} {
    products.pack(weight, memory.data());
  }
  Aligned memory;
  Linear linear;
};

/// Outputs of the linear operations, one after the other. Scale and bias are of the longer side of
/// the matrix, since down() takes it the other way around.
Floats linear_steps(const Products& products, const WeightValues& weight, const Floats& bias,
                    const float* inverse_smooth, const Floats& x, std::int64_t rows) {
  const Packed w(products, weight, bias.data(), inverse_smooth);
  WeightValues turned = weight;
  std::swap(turned.out, turned.in);
  const Packed back(products, turned, bias.data(), nullptr);
  const auto size = static_cast<std::size_t>(rows * weight.out);
  const Floats residual = scaled(rows * std::max(weight.in, weight.out), 45, 1);
  const std::int64_t stride = middle_stride(weight.out);
  Aligned middle(static_cast<std::size_t>(rows * stride), std::nanf(""));
  Floats y(2 * size + static_cast<std::size_t>(rows * weight.in));
  Aligned scratch(std::max(products.scratch(rows, weight.in), products.scratch(rows, weight.out)),
                  std::nanf(""));
  const Range all = {0, weight.out};
  products.linear({x.data(), rows, w.linear.in}, w.linear, all, scratch.data(), y.data());
  products.linear_add({x.data(), rows, weight.in}, w.linear, all, residual.data(), scratch.data(),
                      y.data() + size);
  products.up({x.data(), rows, w.linear.in}, w.linear, all, scratch.data(), middle.data(), stride);
  products.down({middle.data(), rows, stride}, back.linear, {0, weight.in}, residual.data(),
                scratch.data(), y.data() + 2 * size);
  return y;
}

struct Shape {
  std::int64_t rows, in, out;
};
constexpr Shape kShapes[] = {{1, 1, 1},     {3, 7, 5},    {2, 16, 16},   {5, 24, 72}, {17, 33, 31},
                             {29, 48, 130}, {9, 384, 96}, {4, 1536, 50}, {67, 70, 81}};

TEST_P(SameBytesTest, LinearSteps) {
  struct Case {
    const Products* products;
    Arithmetic arithmetic;
  };
  std::vector<Case> cases;
  for (const Products* products : kernels().f32) cases.push_back({products, Arithmetic::f32});
  for (const Products* products : kernels().bf16) cases.push_back({products, Arithmetic::bf16});
  for (const Products* products : kernels().int8) cases.push_back({products, Arithmetic::int8});
  for (const auto& [products, arithmetic] : cases) {
    if (products == nullptr || !is_supported(*products)) continue;
    const Products* plain = portable().products(arithmetic);
    for (const Kind& kind : kKinds) {
      for (const auto& [rows, in, out] : kShapes) {
        SCOPED_TRACE(testing::Message() << products->name << ", " << rows << " x " << in << " -> "
                                        << out << ", " << kind.name);
        const Floats x = kind.make(rows * in, 41);
        const Floats values = kind.make(out * in, 42);
        std::vector<std::int8_t> codes;
        for (std::int64_t i = 0; i < out * in; ++i) {
          codes.push_back(static_cast<std::int8_t>(i * 37 % 256 - 128));
        }
        const Floats scale =
            scaled(std::max(in, out) + in * out / kLeastBlock + std::max(in, out), 43, 1);
        Floats smooth = scaled(in, 44, 1);
        for (float& v : smooth) v = std::abs(v) + 0.1F;
        const Floats bias = kind.make(std::max(in, out), 46);
        WeightValues weight = {.out = out,
                               .in = in,
                               .values = values.data(),
                               .codes = codes.data(),
                               .scale = scale.data()};
        for (const auto& [smoothed, block] :
             {std::pair{false, 0}, {true, 0}, {false, 64}, {true, 128}}) {
          const float* inverse_smooth = smoothed ? smooth.data() : nullptr;
          weight.block = block;
          if ((smoothed || block > 0) && arithmetic != Arithmetic::int8) continue;
          expect_same_bits(linear_steps(*products, weight, bias, inverse_smooth, x, rows),
                           linear_steps(*plain, weight, bias, inverse_smooth, x, rows));
        }
      }
    }
  }
}

/// The sums of bf16 against their definition, one operation after the other.
TEST(PortableKernels, Bf16ProductsAreThoseOfTheDefinition) {
  for (const Kind& kind : kKinds) {
    for (const auto& [rows, in, out] : kShapes) {
      SCOPED_TRACE(testing::Message() << rows << " x " << in << " -> " << out << ", " << kind.name);
      const Floats x = kind.make(rows * in, 51);
      const Floats values = kind.make(out * in, 52);
      const Floats bias = kind.make(std::max(in, out), 53);
      const Floats y =
          linear_steps(*portable().bf16[0], {.out = out, .in = in, .values = values.data()}, bias,
                       nullptr, x, rows);
      Floats rounded_x = x;
      Floats rounded = values;
      std::ranges::transform(x, rounded_x.begin(), round_to_bf16);
      std::ranges::transform(values, rounded.begin(), round_to_bf16);
      Floats expected;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t o = 0; o < out; ++o) {
          expected.push_back(bf16_sum(&rounded_x[r * in], &rounded[o * in], in) + bias[o]);
        }
      }
      expect_same_bits(std::span(y).first(expected.size()), expected);
    }
  }
}

/// FNV-1a over the values' bits.
class Hash {
 public:
  void add(std::span<const float> values) {
    for (const float v : values) {
      std::uint32_t bits = std::isnan(v) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(v);
      for (int i = 0; i < 4; ++i, bits >>= 8U) hash_ = (hash_ ^ (bits & 0xFFU)) * 1099511628211U;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

TEST(PortableKernels, HaveOneHashOnEveryProcessorAndWithEveryCompiler) {
  Hash hash;
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    Floats x = kind.make(3001, 7);
    portable().gelu(x.data(), 3001);
    hash.add(x);
    const Floats gamma = scaled(77, 71, 1);
    const Floats beta = scaled(77, 72, 1);
    x = kind.make(5 * 77, 8);
    portable().layer_norm(x.data(), 5, 77, {gamma.data(), beta.data(), 1e-12F});
    hash.add(x);
    const Floats qkv = kind.make(37 * 3 * 2 * 20, 9);
    hash.add(context_of(portable().attention, qkv, 37, 2, 20));
    hash.add(context_of(portable().bf16[0]->attention, qkv, 37, 2, 20));
    hash.add(context_of(portable().int8[0]->attention, qkv, 37, 2, 20));
    std::vector<std::int8_t> codes;
    for (int i = 0; i < 50 * 33; ++i) codes.push_back(static_cast<std::int8_t>(i * 37 % 256 - 128));
    const Floats values = kind.make(50 * 33, 42);
    const Floats scale = scaled(50, 43, 1);
    const Floats long_scales = scaled(2 * 150, 44, 1);
    std::vector<std::int8_t> long_codes;
    for (int i = 0; i < 2 * 150; ++i)
      long_codes.push_back(static_cast<std::int8_t>(i * 41 % 256 - 128));
    // 150 columns in blocks, and 2 rows of one block each the other way around.
    hash.add(linear_steps(*portable().int8[0],
                          {.out = 2,
                           .in = 150,
                           .codes = long_codes.data(),
                           .scale = long_scales.data(),
                           .block = kLeastBlock},
                          kind.make(150, 47), nullptr, kind.make(7 * 150, 48), 7));
    for (const Products* products : {portable().f32[0], portable().bf16[0], portable().int8[0]}) {
      hash.add(linear_steps(*products,
                            {.out = 50,
                             .in = 33,
                             .values = values.data(),
                             .codes = codes.data(),
                             .scale = scale.data()},
                            kind.make(50, 46), nullptr, kind.make(7 * 33, 41), 7));
    }
  }
  EXPECT_EQ(hash.value(), 1374753047232867495U);
}

TEST(PortableKernels, HaveOneHashWithABiasOfDistances) {
  Hash hash;
  const RandomBias bias(2, 50);
  for (const Kind& kind : kKinds) {
    const Floats qkv = kind.make(37 * 3 * 2 * 20, 9);
    for (const Attention& attention :
         {portable().attention, portable().bf16[0]->attention, portable().int8[0]->attention})
      hash.add(context_of(attention, qkv, 37, 2, 20, bias.view()));
  }
  EXPECT_EQ(hash.value(), 14665516583826877114U);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SameBytesTest);
INSTANTIATE_TEST_SUITE_P(Tables, SameBytesTest, testing::ValuesIn(tables_of_instruction_sets()),
                         [](const auto& table) { return std::string(table.param->name); });

}  // namespace
}  // namespace embd::kernels
