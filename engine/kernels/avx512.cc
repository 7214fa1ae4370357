// The table for AVX-512 (F, BW, DQ, VL): 32 registers of 16 floats.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Products avx512_bf16_products;
extern const Products avx512_vnni_products;
extern const Products avx512_amx_bf16_products;
extern const Products avx512_amx_int8_products;

namespace {

#include "engine/kernels/avx512_vec.inc"

/// The integers without VNNI, as for AVX2: pairs of 16-bit products, added in 32 bits.
struct Integers : Int32 {
  using Code = std::int16_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 2;
  static constexpr std::int64_t kUnit = kGroup;
  // 24 sums, 2 rows of weights, and what is multiplied and not yet added.
  static constexpr std::int64_t kTileRows = 12;

  /// Loads 16 pairs of weights of a panel and widens them.
  static Reg load_weights(const Weight* p) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm512_add_epi32(sum, _mm512_madd_epi16(codes, weights));
  }

  /// Stores the codes, cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    const Reg cut = _mm512_min_epi32(_mm512_max_epi32(code, zero()), set(255));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(cut));
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    const Reg pair =
        _mm512_or_si512(_mm512_and_si512(code[0], set(0xFF)), _mm512_slli_epi32(code[1], 8));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(pair));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "base/fused.inc"

#include "base/bf16_scalar.inc"

#include "engine/kernels/bf16_in_floats.inc"

#include "engine/kernels/product_bf16.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_bf16.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("avx512");
constexpr Products kBf16 = products_of<Bf16>("avx512", kBf16Attention);
constexpr Products kInt8 = products_of<Int8>("avx512", kInt8Attention);

constexpr Kernels with_instructions(Kernels table) {
  table.bf16[1] = table.bf16[0];
  table.bf16[0] = &avx512_bf16_products;
  table.int8[1] = table.int8[0];
  table.int8[0] = &avx512_vnni_products;
  return table;
}

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels = with_instructions(table_of("avx512", &kF32, &kBf16, &kInt8));

extern const Kernels avx512_amx_kernels;
const Kernels avx512_amx_kernels =
    table_of("avx512_amx", &kF32, &avx512_amx_bf16_products, &avx512_amx_int8_products);

}  // namespace embd::kernels
