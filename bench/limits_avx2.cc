#include <immintrin.h>

#include "bench/limits.h"

namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(32)));
constexpr int kLanes = 8;
constexpr int kSums = 12;

#include "bench/limits.inc"

/// Pairs of 16-bit products and their addition to 32 bits.
double multiply_add_int8(long rounds) noexcept {
  return sum_products<__m256i>(rounds, 2, [](__m256i x, __m256i w, __m256i sum) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
  });
}

}  // namespace

extern const Limits avx2_limits;
const Limits avx2_limits = {multiply_add, multiply_add_int8, nullptr, read};

}  // namespace embd::bench
