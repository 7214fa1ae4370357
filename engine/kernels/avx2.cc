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
  static Reg div(Reg a, Reg b) { return _mm256_div_ps(a, b); }
  /// a < b ? a : b, and a > b ? a : b: b where they are not ordered.
  static Reg min(Reg a, Reg b) { return _mm256_min_ps(a, b); }
  static Reg max(Reg a, Reg b) { return _mm256_max_ps(a, b); }
  static Reg abs(Reg a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0F), a); }
  static Reg multiply_add(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  /// c − a · b
  static Reg subtract_product(Reg a, Reg b, Reg c) { return _mm256_fnmadd_ps(a, b, c); }
  static Reg floor(Reg a) { return _mm256_floor_ps(a); }
  /// a · 2^n for whole n in [-126, 127].
  static Reg scale_by_power(Reg a, Reg n) {
    const __m256i biased = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_mul_ps(a, _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23)));
  }
  /// Lanes joined by halves, here and in max_lane().
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
  [[gnu::always_inline]] static void prefetch(const char* p) { _mm_prefetch(p, _MM_HINT_T0); }

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

struct Integers {
  using Reg = __m256i;
  using Code = std::int16_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 2;
  // 8 sums, 2 rows of weights, and what is multiplied and not yet added.
  static constexpr std::int64_t kTileRows = 4;

  static Reg zero() { return _mm256_setzero_si256(); }
  static Reg set(std::int32_t x) { return _mm256_set1_epi32(x); }
  static Reg load(const std::int32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static void store(std::int32_t* p, Reg x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x);
  }
  static Reg add(Reg a, Reg b) { return _mm256_add_epi32(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm256_sub_epi32(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mullo_epi32(a, b); }
  static Vec::Reg to_float(Reg a) {
    // GCC 12 would keep sums in memory, since this instruction can take them from there.
    asm("" : "+x"(a));
    return _mm256_cvtepi32_ps(a);
  }

  /// 8 pairs of weights, as they stand in a panel, widened: sums of two 16-bit products fit in 32
  /// bits, those of two 8-bit products (vpmaddubsw) do not fit in 16.
  static Reg load_weights(const Weight* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static Reg broadcast(const Code* pair) {
    int bits;
    __builtin_memcpy(&bits, pair, sizeof(bits));
    return set(bits);
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(codes, weights));
  }

  /// To nearest even; NaN becomes the least integer.
  static Reg round(Vec::Reg x) { return _mm256_cvtps_epi32(x); }
  /// Cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    const Reg cut = _mm256_min_epi32(_mm256_max_epi32(code, zero()), set(255));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(p),
        _mm_packs_epi32(_mm256_castsi256_si128(cut), _mm256_extracti128_si256(cut, 1)));
  }
  /// Codes with sign, as load_weights() finds them.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    const Reg words = _mm256_packs_epi32(code[0], code[1]);
    const Reg bytes = _mm256_shuffle_epi8(
        _mm256_packs_epi16(words, words),
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 0, 4, 1, 5, 2, 6, 3, 7)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 0x08)));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "base/fused.inc"

#include "engine/kernels/product_bf16.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("avx2");
constexpr Products kBf16 = products_of<Bf16>("avx2");
constexpr Products kInt8 = with_int8_attention(products_of<Int8>("avx2"));

}  // namespace

extern const Kernels avx2_kernels;
const Kernels avx2_kernels = table_of("avx2", &kF32, &kBf16, &kInt8);

}  // namespace embd::kernels
