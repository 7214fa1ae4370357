// The tables for AVX2 with FMA, without VNNI and with it: 16 registers of 8 floats.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Products avx2_vnni_products;
extern const Products avx2_vnni_evex_products;

namespace {

#include "engine/kernels/avx2_vec.inc"

struct Integers : Int32 {
  using Code = std::int16_t;
  using Weight = std::int16_t;
  static constexpr std::int64_t kGroup = 2;
  static constexpr std::int64_t kUnit = kGroup;
  // 12 sums, 2 rows of weights, a group of x, and a product not yet added: all 16 registers.
  static constexpr std::int64_t kTileRows = 6;

  /// Loads 8 pairs of weights of a panel as numbers of 16 bits. The sum of two products of such
  /// numbers fits in 32 bits, whereas the sum of two products of bytes (vpmaddubsw) does not fit in
  /// 16.
  static Reg load_weights(const Weight* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(codes, weights));
  }

  /// Stores the codes, cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    const Reg cut = _mm256_min_epi32(_mm256_max_epi32(code, zero()), set(255));
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(p),
        _mm_packs_epi32(_mm256_castsi256_si128(cut), _mm256_extracti128_si256(cut, 1)));
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    const Reg pairs = _mm256_blend_epi16(code[0], _mm256_slli_epi32(code[1], 16), 0xAA);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), pairs);
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

constexpr Products kF32 = products_of<F32>("avx2");
constexpr Products kBf16 = products_of<Bf16>("avx2", kBf16Attention);
constexpr Products kInt8 = products_of<Int8>("avx2", kInt8Attention);

constexpr Kernels with_vnni(Kernels table) {
  table.int8[0] = &avx2_vnni_products;
  table.int8[1] = &avx2_vnni_evex_products;
  return table;
}

}  // namespace

extern const Kernels avx2_kernels;
const Kernels avx2_kernels = table_of("avx2", &kF32, &kBf16, &kInt8);

extern const Kernels avx2_vnni_kernels;
const Kernels avx2_vnni_kernels = with_vnni(table_of("avx2_vnni", &kF32, &kBf16, nullptr));

}  // namespace embd::kernels
