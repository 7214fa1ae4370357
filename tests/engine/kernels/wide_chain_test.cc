// The multiply-adds that WebAssembly computes in double, compiled for this machine, against
// std::fma: over numbers of every kind, and over those that lie where rounding twice goes wrong.
// EMBD_MANY_SUMS=N tries N of each kind instead of a million.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace embd::kernels {
namespace {

#include "base/fused.inc"

#include "engine/kernels/wasm_vec.inc"

#include "engine/kernels/wide_chain.inc"

struct Operands {
  Floats a;
  Floats b;
  Floats c;
};

std::int64_t sums_to_try() {
  const char* many = std::getenv("EMBD_MANY_SUMS");
  return many == nullptr ? 1'000'000 : std::atoll(many);
}

class RandomFloats {
 public:
  float any_bits() { return std::bit_cast<float>(static_cast<std::uint32_t>(random_())); }
  /// 24 random bits, times 2^exponent.
  float scaled(int exponent) {
    const float size = std::ldexp(static_cast<float>((random_() >> 40) | 1), exponent - 24);
    return random_() % 2 == 0 ? size : -size;
  }
  /// Of few bits, so that sums are often halfway between two floats.
  float short_of(int bits, int exponent) {
    return std::ldexp(static_cast<float>(static_cast<std::int64_t>(random_() >> (64 - bits)) -
                                         (std::int64_t{1} << (bits - 1))),
                      exponent);
  }
  int between(int least, int greatest) {
    return least + static_cast<int>(random_() % static_cast<std::uint64_t>(greatest - least + 1));
  }

 private:
  std::mt19937_64 random_{1};
};

/// Calls make(lane) for each lane of what is then added up.
template <class Make>
Operands four(const Make& make) {
  Operands x = {};
  for (int i = 0; i < 4; ++i) {
    const auto [a, b, c] = make();
    x.a[i] = a, x.b[i] = b, x.c[i] = c;
  }
  return x;
}

struct Three {
  float a, b, c;
};

/// A sum that is halfway between two floats, or by a tiny product beside it.
Three nearly_halfway(RandomFloats& random) {
  const float c = random.scaled(random.between(-100, 100));
  const float half_a_step = (std::nextafter(std::fabs(c), INFINITY) - std::fabs(c)) / 2;
  // a · b is half a step, and up to 2^-40 of it more or less.
  const float a = 1 + random.short_of(6, -23);
  const float b = half_a_step * (1 + random.short_of(6, -23));
  return {a, random.between(0, 1) == 0 ? b : -b, c};
}

/// Sums around 2^-126 and below.
Three tiny(RandomFloats& random) {
  const int e = random.between(-80, -40);
  return {random.scaled(e), random.scaled(-126 - e + random.between(-30, 4)),
          random.scaled(random.between(-150, -120))};
}

/// Sums around the largest float.
Three huge(RandomFloats& random) {
  const int e = random.between(20, 100);
  return {random.scaled(e), random.scaled(128 - e + random.between(-1, 1)),
          random.scaled(random.between(120, 128))};
}

template <class Make>
void expect_fma(const Make& make) {
  RandomFloats random;
  for (std::int64_t tried = 0; tried < sums_to_try(); tried += 4) {
    const Operands x = four([&] { return make(random); });
    const Floats got = WideFloats::multiply_add(x.a, x.b, x.c);
    for (int i = 0; i < 4; ++i) {
      const float expected = std::fma(x.a[i], x.b[i], x.c[i]);
      if (std::isnan(expected) && std::isnan(got[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected))
          << std::hexfloat << x.a[i] << " * " << x.b[i] << " + " << x.c[i];
    }
  }
}

TEST(WideMultiplyAdd, IsFmaOfAnyBits) {
  expect_fma([](RandomFloats& random) {
    return Three{random.any_bits(), random.any_bits(), random.any_bits()};
  });
}

TEST(WideMultiplyAdd, IsFmaOfNumbersAlike) {
  expect_fma([](RandomFloats& random) {
    return Three{random.scaled(0), random.scaled(0), random.scaled(random.between(-30, 30))};
  });
}

TEST(WideMultiplyAdd, IsFmaOfFewBits) {
  expect_fma([](RandomFloats& random) {
    return Three{random.short_of(13, 0), random.short_of(13, -1), random.short_of(24, 2)};
  });
}

TEST(WideMultiplyAdd, IsFmaNearlyHalfway) {
  expect_fma(nearly_halfway);
}

TEST(WideMultiplyAdd, IsFmaOfTinySums) {
  expect_fma(tiny);
}

TEST(WideMultiplyAdd, IsFmaOfHugeSums) {
  expect_fma(huge);
}

/// Chains as products have them: each sum is that of std::fma, or the steps say that one may not
/// be.
template <class Make>
std::int64_t expect_chains(const Make& make) {
  RandomFloats random;
  std::int64_t told = 0;
  constexpr int length = 256;
  for (std::int64_t tried = 0; tried < sums_to_try(); tried += 4 * length) {
    WideSteps steps;
    Wide sum = Wide::set(0);
    Floats expected = {};
    for (int k = 0; k < length; ++k) {
      const Operands x = four([&] { return make(random); });
      sum = steps.step(Wide::of(x.a), Wide::of(x.b), sum);
      for (int i = 0; i < 4; ++i) expected[i] = std::fma(x.a[i], x.b[i], expected[i]);
    }
    if (steps.halfway()) {
      ++told;
      continue;
    }
    const Floats got = sum.to_float();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected[i]));
    }
  }
  return told;
}

TEST(WideSteps, AreChainsOfFma) {
  expect_chains([](RandomFloats& random) {
    return Three{random.scaled(random.between(-8, 0)), random.scaled(random.between(-8, 0)), 0};
  });
}

TEST(WideSteps, TellOfSumsHalfway) {
  const std::int64_t told = expect_chains([](RandomFloats& random) {
    return Three{random.short_of(13, 0), random.short_of(13, 0), 0};
  });
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace embd::kernels
