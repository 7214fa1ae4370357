// The table for WebAssembly's SIMD, which has no fused multiply-add. Tests compile it for the
// machine that they run on, too.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "base/fused.inc"

#include "engine/kernels/wasm_vec.inc"

#include "engine/kernels/wide_chain.inc"

using Vec = WideFloats;

/// Codes of 16 bits, two to a lane: i32x4.dot_i16x8_s multiplies and adds them exactly.
struct Integers : Int32 {
  using Code = std::int16_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 2;
  static constexpr std::int64_t kUnit = kGroup;

  /// 4 groups of weights, as they stand in a panel, widened.
  static Reg load_weights(const Weight* p) {
    using Eight = std::int8_t __attribute__((vector_size(8)));
    return bits_of<Reg>(__builtin_convertvector(load_bits<Eight>(p), Halves));
  }
  static Reg broadcast(const Code* group) { return set(load_bits<std::int32_t>(group)); }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
#if defined(__wasm__)
    return sum + __builtin_wasm_dot_s_i32x4_i16x8(bits_of<Halves>(codes), bits_of<Halves>(weights));
#else
    const auto a = bits_of<Halves>(codes);
    const auto b = bits_of<Halves>(weights);
    for (std::int64_t i = 0; i < 4; ++i)
      sum[i] += a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
    return sum;
#endif
  }

  static void store_codes(Code* p, Reg code) {
    using Four = std::int16_t __attribute__((vector_size(8)));
    const auto four = __builtin_convertvector(bytes(code), Four);
    __builtin_memcpy(p, &four, sizeof(four));
  }
  /// Codes with sign, as load_weights() finds them.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    using Four = std::int16_t __attribute__((vector_size(8)));
    const auto four = __builtin_convertvector((code[0] & 255) | (code[1] << 8), Four);
    __builtin_memcpy(p, &four, sizeof(four));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/wide_products.inc"

// In a browser bf16 would be slower than float32 and half of this table's code. Tests have it, so
// that a table is one that has every arithmetic.
#if !defined(__wasm__)
#include "engine/kernels/bf16_scalar.inc"

#include "engine/kernels/bf16_in_floats.inc"

#include "engine/kernels/product_bf16.inc"
#endif

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention.inc"

#if !defined(__wasm__)
#include "engine/kernels/attention_bf16.inc"
#endif

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("wasm_simd128");
#if defined(__wasm__)
constexpr const Products* kBf16 = nullptr;
#else
constexpr Products kBf16Products = products_of<Bf16>("wasm_simd128", kBf16Attention);
constexpr const Products* kBf16 = &kBf16Products;
#endif

}  // namespace

extern const Products wasm_simd128_int8_products;
const Products wasm_simd128_int8_products = products_of<Int8>("wasm_simd128", kInt8Attention);

extern const Kernels wasm_simd128_kernels;
const Kernels wasm_simd128_kernels =
    table_of("wasm_simd128", &kF32, kBf16, &wasm_simd128_int8_products);

}  // namespace embd::kernels
