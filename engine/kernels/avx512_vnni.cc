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
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 4;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  static Reg zero() { return _mm512_setzero_si512(); }
  static Reg set(std::int32_t x) { return _mm512_set1_epi32(x); }
  static Reg load(const std::int32_t* p) { return _mm512_loadu_si512(p); }
  static void store(std::int32_t* p, Reg x) { _mm512_storeu_si512(p, x); }
  static Reg add(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
  static Reg sub(Reg a, Reg b) { return _mm512_sub_epi32(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mullo_epi32(a, b); }
  static Vec::Reg to_float(Reg a) {
    // GCC 12 would keep sums in memory, since this instruction can take them from there.
    asm("" : "+v"(a));
    return _mm512_cvtepi32_ps(a);
  }

  /// 16 groups of weights, as they stand in a panel.
  static Reg load_weights(const Weight* p) { return _mm512_loadu_si512(p); }
  static Reg broadcast(const Code* group) {
    int bits;
    __builtin_memcpy(&bits, group, sizeof(bits));
    return set(bits);
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm512_dpbusd_epi32(sum, codes, weights);
  }

  /// To nearest even; NaN becomes the least integer.
  static Reg round(Vec::Reg x) { return _mm512_cvtps_epi32(x); }
  /// Cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                     _mm512_cvtusepi32_epi8(_mm512_max_epi32(code, zero())));
  }
  /// Codes with sign, as load_weights() finds them.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    // In each quarter of a register, 4 codes of each of the group.
    const Reg quarters = _mm512_packs_epi16(_mm512_packs_epi32(code[0], code[1]),
                                            _mm512_packs_epi32(code[2], code[3]));
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(p, _mm512_shuffle_epi8(quarters, _mm512_broadcast_i32x4(order)));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/attention_int8.inc"

}  // namespace

extern const Products avx512_vnni_products;
const Products avx512_vnni_products = with_int8_attention(products_of<Int8>("avx512_vnni"));

}  // namespace embd::kernels
