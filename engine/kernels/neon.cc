// The table for NEON (aarch64): 32 registers of 4 floats.

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Products neon_dot_products;
extern const Products neon_i8mm_products;

namespace {

#include "engine/kernels/neon_vec.inc"

/// The integers for products of codes that are as wide as their products, so that the multiply-add
/// takes an element of x as an operand, as for floats. For processors that can multiply bytes,
/// there are neon_dot.cc and neon_i8mm.cc.
struct Integers : Int32 {
  using Code = std::int32_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 1;
  static constexpr std::int64_t kUnit = kGroup;

  /// Loads 4 weights of a panel and widens them.
  static Reg load_weights(const Weight* p) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, p, sizeof(bits));
    return vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(bits))));
  }
  static Reg broadcast(const Code* code) { return set(*code); }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return vmlaq_s32(sum, weights, codes);
  }

  /// Stores the codes, cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    vst1q_s32(p, vminq_s32(vmaxq_s32(code, zero()), set(255)));
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    const int16x4_t words = vmovn_s32(code[0]);
    const std::uint32_t bytes =
        vget_lane_u32(vreinterpret_u32_s8(vmovn_s16(vcombine_s16(words, words))), 0);
    __builtin_memcpy(p, &bytes, sizeof(bytes));
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

constexpr Products kF32 = products_of<F32>("neon");
constexpr Products kBf16 = products_of<Bf16>("neon", kBf16Attention);
constexpr Products kInt8 = products_of<Int8>("neon", kInt8Attention);

}  // namespace

extern const Kernels neon_kernels;
const Kernels neon_kernels = table_of("neon", &kF32, &kBf16, &kInt8);

extern const Kernels neon_dot_kernels;
const Kernels neon_dot_kernels = table_of("neon_dot", &kF32, &kBf16, &neon_dot_products);

extern const Kernels neon_i8mm_kernels;
const Kernels neon_i8mm_kernels = table_of("neon_i8mm", &kF32, &kBf16, &neon_i8mm_products);

}  // namespace embd::kernels
