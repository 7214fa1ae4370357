// Products in int8 for NEON with the dot product. An instruction (SDOT) multiplies 16 signed bytes
// by signed bytes and adds four products at a time in 32 bits, so that nothing saturates.

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/neon_vec.inc"

struct Integers : Int32 {
  // There is no instruction for unsigned by signed bytes. neon_i8mm.cc uses the one that came
  // later.
  using Code = std::int8_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 4;
  static constexpr std::int64_t kUnit = kGroup;

  /// Loads 4 groups of weights of a panel.
  static Reg load_weights(const Weight* p) { return vreinterpretq_s32_s8(vld1q_s8(p)); }
  /// Loads a group into the first lane, which multiply_add() uses for all lanes.
  static Reg broadcast(const Code* group) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, group, sizeof(bits));
    return vcombine_s32(vcreate_s32(bits), vcreate_s32(0));
  }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    const int8x8_t group = vreinterpret_s8_s32(vget_low_s32(codes));
    return vdotq_lane_s32(sum, vreinterpretq_s8_s32(weights), group, 0);
  }

  /// Stores the codes, cut to [0, 255], less 128.
  static void store_codes(Code* p, Reg code) {
    const int16x4_t words = vqmovn_s32(code);
    const uint8x8_t bytes = vqmovun_s16(vcombine_s16(words, words));
    const std::uint32_t four =
        vget_lane_u32(vreinterpret_u32_u8(veor_u8(bytes, vdup_n_u8(0x80))), 0);
    __builtin_memcpy(p, &four, sizeof(four));
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    // Each code is inserted above the bytes of the codes before it.
    const Reg upper = vsliq_n_s32(code[2], code[3], 8);
    const Reg bytes = vsliq_n_s32(code[0], vsliq_n_s32(code[1], upper, 8), 8);
    vst1q_s8(p, vreinterpretq_s8_s32(bytes));
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/attention_int8.inc"

}  // namespace

extern const Products neon_dot_products;
const Products neon_dot_products = products_of<Int8>("neon_dot", kInt8Attention);

}  // namespace embd::kernels
