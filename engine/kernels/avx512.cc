// The table for AVX-512 (F, BW, DQ, VL): 32 registers of 16 floats.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {
namespace {

struct Vec {
  using Reg = __m512;
  static constexpr std::int64_t kLanes = 16;
  // 28 sums, 2 rows of weights, 1 element of x: 31 of 32 registers.
  static constexpr std::int64_t kTileRows = 14;
  static constexpr std::int64_t kTileVectors = 2;

  static Reg zero() { return _mm512_setzero_ps(); }
  static Reg set(float x) { return _mm512_set1_ps(x); }
  static Reg load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Reg x) { _mm512_storeu_ps(p, x); }
  static Reg load_first(const float* p, std::int64_t n) {
    return _mm512_maskz_loadu_ps(first(n), p);
  }
  static void store_first(float* p, Reg x, std::int64_t n) {
    _mm512_mask_storeu_ps(p, first(n), x);
  }
  /// Lanes from n on become `other`.
  static Reg keep_first(Reg x, std::int64_t n, Reg other) {
    return _mm512_mask_mov_ps(other, first(n), x);
  }

  static Reg add(Reg a, Reg b) { return _mm512_add_ps(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm512_sub_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mul_ps(a, b); }
  static Reg min(Reg a, Reg b) { return _mm512_min_ps(a, b); }
  static Reg max(Reg a, Reg b) { return _mm512_max_ps(a, b); }
  static Reg abs(Reg a) { return _mm512_abs_ps(a); }
  static Reg multiply_add(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
  static Reg multiply_subtract(Reg a, Reg b, Reg c) { return _mm512_fmsub_ps(a, b, c); }
  /// c − a · b
  static Reg subtract_product(Reg a, Reg b, Reg c) { return _mm512_fnmadd_ps(a, b, c); }
  /// a − ⌊a⌋
  static Reg fraction(Reg a) {
    return _mm512_reduce_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  }
  /// a · 2^⌊n⌋ for n in [-126, 128).
  static Reg scale_by_power(Reg a, Reg n) { return _mm512_scalef_ps(a, n); }
  static float sum(Reg a) { return _mm512_reduce_add_ps(a); }
  static float max_lane(Reg a) { return _mm512_reduce_max_ps(a); }
  static float sqrt(float a) { return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); }
  // Always inline: GCC 12 holds a function that only prefetches for one without effect, and drops
  // its calls.
  [[gnu::always_inline]] static void prefetch(const float* p) {
    _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
  }

  /// The 16 × 16 matrix in `row` becomes its transpose.
  static void transpose(Reg (&row)[kLanes]) {
    Reg pair[kLanes];
    for (int i = 0; i < kLanes; i += 2) {
      pair[i] = _mm512_unpacklo_ps(row[i], row[i + 1]);
      pair[i + 1] = _mm512_unpackhi_ps(row[i], row[i + 1]);
    }
    // quad[4 · i + j]: columns j, j + 4, j + 8, j + 12 of rows 4 · i … 4 · i + 3
    Reg quad[kLanes];
    for (int i = 0; i < kLanes; i += 4) {
      quad[i] = _mm512_shuffle_ps(pair[i], pair[i + 2], 0x44);
      quad[i + 1] = _mm512_shuffle_ps(pair[i], pair[i + 2], 0xEE);
      quad[i + 2] = _mm512_shuffle_ps(pair[i + 1], pair[i + 3], 0x44);
      quad[i + 3] = _mm512_shuffle_ps(pair[i + 1], pair[i + 3], 0xEE);
    }
    for (int j = 0; j < 4; ++j) {
      const Reg even_low = _mm512_shuffle_f32x4(quad[j], quad[j + 4], 0x88);
      const Reg odd_low = _mm512_shuffle_f32x4(quad[j], quad[j + 4], 0xDD);
      const Reg even_high = _mm512_shuffle_f32x4(quad[j + 8], quad[j + 12], 0x88);
      const Reg odd_high = _mm512_shuffle_f32x4(quad[j + 8], quad[j + 12], 0xDD);
      row[j] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
      row[j + 8] = _mm512_shuffle_f32x4(even_low, even_high, 0xDD);
      row[j + 4] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
      row[j + 12] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xDD);
    }
  }

 private:
  static __mmask16 first(std::int64_t n) { return static_cast<__mmask16>((1U << n) - 1U); }
};

#include "engine/kernels/body.inc"

}  // namespace

bool avx512_supported() noexcept;
extern const Kernels avx512_kernels;
const Kernels avx512_kernels = make_table("avx512", avx512_supported);

}  // namespace embd::kernels
