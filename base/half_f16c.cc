// Compiled for AVX2 and F16C: it may include nothing whose inline code other files share.
#include "base/half.h"

#include <immintrin.h>

namespace embd {

// The functions of half.h that this file needs. half.h itself has inline code.
std::uint16_t half_from_float(float value) noexcept;
float float_from_half(std::uint16_t half) noexcept;

namespace f16c {
namespace {

bool has_nan(__m256 values) {
  const __m256 unordered = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
  return _mm256_testz_ps(unordered, unordered) == 0;
}

}  // namespace

// For a NaN, the processor keeps its upper bits and makes a signalling NaN quiet, whereas half.h
// has a single NaN. So a group with a NaN is converted by the functions of half.h.

void halves_from_floats(const float* from, std::uint16_t* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    const __m256 values = _mm256_loadu_ps(from + i);
    if (has_nan(values)) [[unlikely]] {
      for (std::size_t k = i; k < i + 8; ++k) to[k] = half_from_float(from[k]);
      continue;
    }
    const __m128i halves = _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
}

void floats_from_halves(const std::uint16_t* from, float* to, std::size_t count) noexcept {
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m256 values = _mm256_cvtph_ps(halves);
    if (has_nan(values)) [[unlikely]] {
      for (std::size_t k = i; k < i + 8; ++k) to[k] = float_from_half(from[k]);
      continue;
    }
    _mm256_storeu_ps(to + i, values);
  }
}

}  // namespace f16c
}  // namespace embd
