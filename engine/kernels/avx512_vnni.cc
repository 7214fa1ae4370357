// Products in int8 for AVX-512 with VNNI: 64 multiplications of u8 by s8 an instruction, added up
// by fours into 32 bits, where nothing can saturate.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/avx512_vec.inc"

struct Integers {
  using Reg = __m512i;
  using Code = std::uint8_t;
  static constexpr std::int64_t kGroup = 4;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  static Reg zero() { return _mm512_setzero_si512(); }
  static Reg set(std::int32_t x) { return _mm512_set1_epi32(x); }
  static Reg load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static Reg sub(Reg a, Reg b) { return _mm512_sub_epi32(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mullo_epi32(a, b); }
  static Vec::Reg to_float(Reg a) { return _mm512_cvtepi32_ps(a); }

  /// 16 groups of weights, as they stand in a panel.
  static Reg load_weights(const std::int8_t* p) { return _mm512_loadu_si512(p); }
  static Reg broadcast(const Code* group) {
    int bits;
    __builtin_memcpy(&bits, group, sizeof(bits));
    return set(bits);
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm512_dpbusd_epi32(sum, codes, weights);
  }

  /// x rounded to nearest even, plus `zero_code`, cut to [0, 255]; of NaN, 0: it becomes the least
  /// integer.
  static void store_codes(Code* p, Vec::Reg x, Reg zero_code) {
    const Reg code = _mm512_add_epi32(_mm512_cvtps_epi32(x), zero_code);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm512_cvtusepi32_epi8(_mm512_max_epi32(code, zero())));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_int8.inc"

}  // namespace

extern const Products avx512_vnni_products;
const Products avx512_vnni_products = products_of<Int8>("avx512_vnni");

}  // namespace embd::kernels
