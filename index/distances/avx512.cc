#include <immintrin.h>

#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

/// Lanes 0..15 folded to 8: i + (i + 8).
inline __m256 fold(__m512 v) {
  return _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
}

struct Isa {
  using Floats = __m512;
  using Ints = __m512i;  // 32 × 16 bit as operands, 16 × 32 bit as sums
  static constexpr std::size_t kIntStep = 32;
  static constexpr std::size_t kGather = 8;
  static constexpr std::size_t kTileQueries = 6;
  static constexpr std::size_t kTileRows = 4;

  static Floats zero() { return _mm512_setzero_ps(); }
  static Floats fma(Floats a, Floats b, Floats sum) { return _mm512_fmadd_ps(a, b, sum); }
  static Floats sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
  /// Eight sums at once, halving all of them with each step: of two vectors one half of each is
  /// blended and added to the other halves, which takes one shuffle where pairing them takes two.
  static void add_lanes8(const Floats* sums, float* first, float* second) {
    const auto halve16 = [](Floats a, Floats b) {  // → 8 lanes of a, 8 of b
      return _mm512_add_ps(_mm512_mask_blend_ps(0xff00, a, b), _mm512_shuffle_f32x4(a, b, 0x4e));
    };
    const auto halve8 = [](Floats ab, Floats cd) {  // → 4 lanes of a, c, b, d
      const __m512i others = _mm512_setr_epi64(2, 3, 8, 9, 6, 7, 12, 13);
      return _mm512_add_ps(_mm512_mask_blend_ps(0xf0f0, ab, cd),
                           _mm512_castpd_ps(_mm512_permutex2var_pd(_mm512_castps_pd(ab), others,
                                                                   _mm512_castps_pd(cd))));
    };
    const Floats acbd = halve8(halve16(sums[0], sums[1]), halve16(sums[2], sums[3]));
    const Floats egfh = halve8(halve16(sums[4], sums[5]), halve16(sums[6], sums[7]));
    const Floats two = _mm512_add_ps(_mm512_mask_blend_ps(0xcccc, acbd, egfh),
                                     _mm512_shuffle_ps(acbd, egfh, 0x4e));
    const Floats one =
        _mm512_add_ps(two, _mm512_permute_ps(two, 0xb1));  // a a e e, c c g g, b b f f, d d h h
    const __m512i order = _mm512_setr_epi32(0, 8, 4, 12, 2, 10, 6, 14, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256 all = _mm512_castps512_ps256(_mm512_permutexvar_ps(order, one));
    _mm_storeu_ps(first, _mm256_castps256_ps128(all));
    _mm_storeu_ps(second, _mm256_extractf128_ps(all, 1));
  }
  static void add_lanes4(const Floats* sums, float* out) {
    const __m256 a = fold(sums[0]);
    const __m256 b = fold(sums[1]);
    const __m256 c = fold(sums[2]);
    const __m256 d = fold(sums[3]);
    const __m256 ab =
        _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
    const __m256 cd =
        _mm256_add_ps(_mm256_permute2f128_ps(c, d, 0x20), _mm256_permute2f128_ps(c, d, 0x31));
    const __m256 acbd =
        _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xee));
    const __m256 sum =
        _mm256_add_ps(_mm256_shuffle_ps(acbd, acbd, 0x88), _mm256_shuffle_ps(acbd, acbd, 0xdd));
    _mm_storeu_ps(out, _mm_unpacklo_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1)));
  }
  static float add_lanes(Floats v) {
    const __m256 eight = fold(v);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }

  static Ints zero_ints() { return _mm512_setzero_si512(); }
  static Ints madd(Ints a, Ints b, Ints sum) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
  }
  static Ints sub_ints(Ints a, Ints b) { return _mm512_sub_epi16(a, b); }
  static std::int32_t add_lanes_ints(Ints v) { return _mm512_reduce_add_epi32(v); }

  static __mmask16 first16(std::size_t count) { return static_cast<__mmask16>((1U << count) - 1U); }
  static __mmask32 first32(std::size_t count) {
    return static_cast<__mmask32>((std::uint64_t{1} << count) - 1U);
  }

  struct F32 {
    using Type = float;
    static Floats load(const float* row) { return _mm512_loadu_ps(row); }
    static Floats load(const float* row, std::size_t count) {
      return _mm512_maskz_loadu_ps(first16(count), row);
    }
  };
  struct F16 {
    using Type = std::uint16_t;
    static Floats load(const std::uint16_t* row) {
      return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
    }
    static Floats load(const std::uint16_t* row, std::size_t count) {
      return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(first16(count), row));
    }
  };
  struct Bf16 {
    using Type = std::uint16_t;
    static Floats widen(__m256i v) {
      return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16));
    }
    static Floats load(const std::uint16_t* row) {
      return widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
    }
    static Floats load(const std::uint16_t* row, std::size_t count) {
      return widen(_mm256_maskz_loadu_epi16(first16(count), row));
    }
  };
  struct I8 {
    using Type = std::int8_t;
    static Ints load(const std::int8_t* row) {
      return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
    }
    static Ints load(const std::int8_t* row, std::size_t count) {
      return _mm512_cvtepi8_epi16(_mm256_maskz_loadu_epi8(first32(count), row));
    }
  };
  struct I16 {
    using Type = std::int16_t;
    static Ints load(const std::int16_t* row) { return _mm512_loadu_si512(row); }
    static Ints load(const std::int16_t* row, std::size_t count) {
      return _mm512_maskz_loadu_epi16(first32(count), row);
    }
  };
  struct U8 {
    using Type = std::uint8_t;
    static Ints load(const std::uint8_t* row) {
      return _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row)));
    }
    static Ints load(const std::uint8_t* row, std::size_t count) {
      return _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(first32(count), row));
    }
  };
};

#include "index/distances/body.inc"

}  // namespace

constinit const Kernels kAvx512Kernels = table_of("avx512");

}  // namespace embd::distances
