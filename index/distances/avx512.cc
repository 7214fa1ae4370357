#include <immintrin.h>

#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

#include "index/distances/avx512_lanes.inc"

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
  static void add_lanes8(const Floats* sums, float* first, float* second) {
    store8(lanes8<AddFloats>(sums), first, second);
  }
  static void add_lanes4(const Floats* sums, float* out) {
    _mm_storeu_ps(out, lanes4<AddFloats>(sums));
  }
  static float add_lanes(Floats v) {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
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
  static void add_lanes_ints8(const Ints* sums, float* first, float* second) {
    store_ints8(sums, first, second);
  }
  static void add_lanes_ints4(const Ints* sums, float* out) { store_ints4(sums, out); }

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

constexpr Kernels with_vnni(Kernels table) {
  table.i8.dot.gather = avx512_vnni_dot_i8;
  return table;
}

}  // namespace

constinit const Kernels kAvx512Kernels = table_of("avx512");
constinit const Kernels kAvx512VnniKernels = with_vnni(table_of("avx512"));

}  // namespace embd::distances
