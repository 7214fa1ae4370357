// The table for AVX2 with FMA: 16 registers of 8 floats.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {
namespace {

struct Vec {
  using Reg = __m256;
  static constexpr std::int64_t kLanes = 8;
  // 12 sums, 2 rows of weights, 1 element of x: 15 of 16 registers.
  static constexpr std::int64_t kTileRows = 6;
  static constexpr std::int64_t kTileVectors = 2;

  static Reg zero() { return _mm256_setzero_ps(); }
  static Reg set(float x) { return _mm256_set1_ps(x); }
  static Reg load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Reg x) { _mm256_storeu_ps(p, x); }
  static Reg load_first(const float* p, std::int64_t n) { return _mm256_maskload_ps(p, first(n)); }
  static void store_first(float* p, Reg x, std::int64_t n) { _mm256_maskstore_ps(p, first(n), x); }
  /// Lanes from n on become `other`.
  static Reg keep_first(Reg x, std::int64_t n, Reg other) {
    return _mm256_blendv_ps(other, x, _mm256_castsi256_ps(first(n)));
  }

  static Reg add(Reg a, Reg b) { return _mm256_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm256_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_ps(a, b); }
  static Reg min(Reg a, Reg b) { return _mm256_min_ps(a, b); }
  static Reg max(Reg a, Reg b) { return _mm256_max_ps(a, b); }
  static Reg abs(Reg a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
  static Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  static Reg multiply_subtract(Reg a, Reg b, Reg c) { return _mm256_fmsub_ps(a, b, c); }
  /// c − a · b
  static Reg subtract_product(Reg a, Reg b, Reg c) { return _mm256_fnmadd_ps(a, b, c); }
  /// a − ⌊a⌋
  static Reg fraction(Reg a) { return _mm256_sub_ps(a, _mm256_floor_ps(a)); }
  /// a · 2^⌊n⌋ for n in [-126, 128).
  static Reg scale_by_power(Reg a, Reg n) {
    const __m256i whole = _mm256_cvtps_epi32(_mm256_floor_ps(n));
    const __m256i biased = _mm256_add_epi32(whole, _mm256_set1_epi32(127));
    return _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23)));
  }
  static float sum(Reg a) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static float max_lane(Reg a) {
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  static float sqrt(float a) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); }
  // Always inline: GCC 12 holds a function that only prefetches for one without effect, and drops
  // its calls.
  [[gnu::always_inline]] static void prefetch(const float* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
  }

  /// The 8 × 8 matrix in `row` becomes its transpose.
  static void transpose(Reg (&row)[kLanes]) {
    Reg pair[kLanes];
    for (int i = 0; i < kLanes; i += 2) {
      pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
      pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    // quad[4 · i + j]: columns j and j + 4 of rows 4 · i … 4 · i + 3
    Reg quad[kLanes];
    for (int i = 0; i < kLanes; i += 4) {
      quad[i] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0x44);
      quad[i + 1] = _mm256_shuffle_ps(pair[i], pair[i + 2], 0xEE);
      quad[i + 2] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
      quad[i + 3] = _mm256_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE);
    }
    for (int j = 0; j < 4; ++j) {
      row[j] = _mm256_permute2f128_ps(quad[j], quad[j + 4], 0x20);
      row[j + 4] = _mm256_permute2f128_ps(quad[j], quad[j + 4], 0x31);
    }
  }

 private:
  static __m256i first(std::int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
};

#include "engine/kernels/body.inc"

}  // namespace

bool avx2_supported() noexcept;
extern const Kernels avx2_kernels;
const Kernels avx2_kernels = make_table("avx2", avx2_supported);

}  // namespace embd::kernels
