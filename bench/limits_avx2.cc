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

/// Pairs of products of 7 bits by 8 bits, pairs of these, and their addition to 32 bits.
double multiply_add_7_bits(long rounds) noexcept {
  return sum_products<__m256i>(rounds, 4, [](__m256i x, __m256i w, __m256i sum) {
    const __m256i pairs = _mm256_madd_epi16(_mm256_maddubs_epi16(x, w), _mm256_set1_epi16(1));
    return _mm256_add_epi32(sum, pairs);
  });
}

}  // namespace

extern const Limits avx2_limits;
const Limits avx2_limits = {multiply_add, multiply_add_int8, nullptr, multiply_add_7_bits, read};

}  // namespace embd::bench
