#include <gtest/gtest.h>

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "base/os/cpu.h"
#include "tests/engine/kernels/bf16.h"
#include "tests/engine/kernels/random_bits.h"

// Whether vdpbf16ps is two steps of a chain of docs/arithmetic.md (bf16): the product of a pair's
// second elements, then that of the first ones, each added by a fused multiply-add without denormal
// numbers. There are 16 kinds of sums; EMBD_BF16_SUMS says how many of each are compared. 50000000,
// 800 million in all, take some minutes.

namespace embd {
namespace {

using kernels::bf16_of_bits;
using kernels::element;
using kernels::fused_without_denormals;
using kernels::Random;
using kernels::sum_so_far;
using kernels::without_denormal;

constexpr int kLanes = 16;

[[gnu::target("fma,avx512f,avx512bw,avx512vl,avx512bf16")]] void instruction(const float* sums,
                                                                             const std::uint16_t* a,
                                                                             const std::uint16_t* b,
                                                                             float* out) {
  _mm512_storeu_ps(out, _mm512_dpbf16_ps(_mm512_loadu_ps(sums),
                                         reinterpret_cast<__m512bh>(_mm512_loadu_si512(a)),
                                         reinterpret_cast<__m512bh>(_mm512_loadu_si512(b))));
}

[[gnu::target("fma,avx512f,avx512bw,avx512vl")]] void definition(const float* sums,
                                                                 const std::uint16_t* a,
                                                                 const std::uint16_t* b,
                                                                 float* out) {
  for (int i = 0; i < kLanes; ++i) {
    const float odd = fused_without_denormals(
        bf16_of_bits(a[2 * i + 1]), bf16_of_bits(b[2 * i + 1]), without_denormal(sums[i]));
    out[i] = fused_without_denormals(bf16_of_bits(a[2 * i]), bf16_of_bits(b[2 * i]), odd);
  }
}

TEST(Bf16Instruction, IsTwoFusedMultiplyAdds) {
  if (!cpu_features().avx512_bf16) GTEST_SKIP() << "this machine has no avx512_bf16";
  const char* wanted = std::getenv("EMBD_BF16_SUMS");
  const long sums_of_each = wanted == nullptr ? 200'000 : std::atol(wanted);
  Random random;
  for (int sum_kind = 0; sum_kind < 4; ++sum_kind) {
    for (int kind = 0; kind < 4; ++kind) {
      for (long done = 0; done < sums_of_each; done += kLanes) {
        float sums[kLanes];
        std::uint16_t a[2 * kLanes];
        std::uint16_t b[2 * kLanes];
        for (float& sum : sums) sum = sum_so_far(random, sum_kind);
        for (std::uint16_t& x : a) x = element(random, kind);
        for (std::uint16_t& x : b) x = element(random, kind);
        float got[kLanes];
        float expected[kLanes];
        instruction(sums, a, b, got);
        definition(sums, a, b, expected);
        for (int i = 0; i < kLanes; ++i) {
          if (std::isnan(got[i]) && std::isnan(expected[i])) continue;
          ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected[i]))
              << std::hexfloat << sums[i] << " + " << bf16_of_bits(a[2 * i + 1]) << " * "
              << bf16_of_bits(b[2 * i + 1]) << " + " << bf16_of_bits(a[2 * i]) << " * "
              << bf16_of_bits(b[2 * i]) << " is " << got[i] << ", by the definition "
              << expected[i];
        }
      }
    }
  }
}

}  // namespace
}  // namespace embd

#else

TEST(Bf16Instruction, IsTwoFusedMultiplyAdds) {
  GTEST_SKIP() << "no such instruction on this platform";
}

#endif
