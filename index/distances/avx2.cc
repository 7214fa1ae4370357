#include <immintrin.h>

#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

struct Isa {
  struct Floats {
    __m256 low;   // lanes 0..7
    __m256 high;  // lanes 8..15
  };
  using Ints = __m256i;  // 16 × 16 bit as operands, 8 × 32 bit as sums
  static constexpr std::size_t kIntStep = 16;
  static constexpr std::size_t kGather = 4;
  static constexpr std::size_t kTileQueries = 2;
  static constexpr std::size_t kTileRows = 3;

  static Floats zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static Floats fma(Floats a, Floats b, Floats sum) {
    return {_mm256_fmadd_ps(a.low, b.low, sum.low), _mm256_fmadd_ps(a.high, b.high, sum.high)};
  }
  static Floats sub(Floats a, Floats b) {
    return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
  }
  static void add_lanes8(const Floats* sums, float* first, float* second) {
    add_lanes4(sums, first);
    add_lanes4(sums + 4, second);
  }
  static void add_lanes4(const Floats* sums, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = add_lanes(sums[i]);
  }
  static float add_lanes(Floats v) {
    const __m256 eight = _mm256_add_ps(v.low, v.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }

  static Ints zero_ints() { return _mm256_setzero_si256(); }
  static Ints madd(Ints a, Ints b, Ints sum) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
  static Ints sub_ints(Ints a, Ints b) { return _mm256_sub_epi16(a, b); }
  static std::int32_t add_lanes_ints(Ints v) {
    const __m128i four = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    const __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xb1)));
  }

  static void add_lanes_ints8(const Ints* sums, float* first, float* second) {
    add_lanes_ints4(sums, first);
    add_lanes_ints4(sums + 4, second);
  }
  static void add_lanes_ints4(const Ints* sums, float* out) {
    const __m256i ab_cd =
        _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    const __m128i all =
        _mm_add_epi32(_mm256_castsi256_si128(ab_cd), _mm256_extracti128_si256(ab_cd, 1));
    _mm_storeu_ps(out, _mm_cvtepi32_ps(all));
  }

  /// Loads the end of a row, 16 elements or fewer, filled up with zeros.
  template <class T>
  struct Tail {
    alignas(32) T values[16] = {};
    Tail(const T* row, std::size_t count) { __builtin_memcpy(values, row, count * sizeof(T)); }
  };

  struct F32 {
    using Type = float;
    static Floats load(const float* row) {
      return {_mm256_loadu_ps(row), _mm256_loadu_ps(row + 8)};
    }
    static Floats load(const float* row, std::size_t count) {
      return load(Tail<float>(row, count).values);
    }
  };
  struct F16 {
    using Type = std::uint16_t;
    static __m256 load8(const std::uint16_t* row) {
      return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
    }
    static Floats load(const std::uint16_t* row) { return {load8(row), load8(row + 8)}; }
    static Floats load(const std::uint16_t* row, std::size_t count) {
      return load(Tail<std::uint16_t>(row, count).values);
    }
  };
  struct Bf16 {
    using Type = std::uint16_t;
    static __m256 load8(const std::uint16_t* row) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
      return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
    }
    static Floats load(const std::uint16_t* row) { return {load8(row), load8(row + 8)}; }
    static Floats load(const std::uint16_t* row, std::size_t count) {
      return load(Tail<std::uint16_t>(row, count).values);
    }
  };
  struct I8 {
    using Type = std::int8_t;
    static Ints load(const std::int8_t* row) {
      return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
    }
    static Ints load(const std::int8_t* row, std::size_t count) {
      return load(Tail<std::int8_t>(row, count).values);
    }
  };
  struct I16 {
    using Type = std::int16_t;
    static Ints load(const std::int16_t* row) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
    }
    static Ints load(const std::int16_t* row, std::size_t count) {
      return load(Tail<std::int16_t>(row, count).values);
    }
  };
  struct U8 {
    using Type = std::uint8_t;
    static Ints load(const std::uint8_t* row) {
      return _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
    }
    static Ints load(const std::uint8_t* row, std::size_t count) {
      return load(Tail<std::uint8_t>(row, count).values);
    }
  };
};

#include "index/distances/body.inc"

}  // namespace

constinit const Kernels kAvx2Kernels = table_of("avx2");

}  // namespace embd::distances
