// The table for NEON (aarch64): 32 registers of 4 floats.

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

struct Vec {
  using Reg = float32x4_t;
  static constexpr std::int64_t kLanes = 4;
  // 24 sums, 3 rows of weights, 1 element of x: 28 of 32 registers.
  static constexpr std::int64_t kTileRows = 8;
  static constexpr std::int64_t kTileVectors = 3;

  static Reg zero() { return vdupq_n_f32(0); }
  static Reg set(float x) { return vdupq_n_f32(x); }
  static Reg load(const float* p) { return vld1q_f32(p); }
  static void store(float* p, Reg x) { vst1q_f32(p, x); }
  static Reg load_first(const float* p, std::int64_t n) {
    Reg x = zero();
    switch (n) {
      case 3:
        x = vld1q_lane_f32(p + 2, x, 2);
        [[fallthrough]];
      case 2:
        x = vld1q_lane_f32(p + 1, x, 1);
        [[fallthrough]];
      case 1:
        x = vld1q_lane_f32(p, x, 0);
    }
    return x;
  }
  static void store_first(float* p, Reg x, std::int64_t n) {
    switch (n) {
      case 3:
        vst1q_lane_f32(p + 2, x, 2);
        [[fallthrough]];
      case 2:
        vst1q_lane_f32(p + 1, x, 1);
        [[fallthrough]];
      case 1:
        vst1q_lane_f32(p, x, 0);
    }
  }
  /// Lanes from n on become `other`.
  static Reg keep_first(Reg x, std::int64_t n, Reg other) {
    constexpr std::int32_t kLane[kLanes] = {0, 1, 2, 3};
    return vbslq_f32(vcltq_s32(vld1q_s32(kLane), vdupq_n_s32(static_cast<int>(n))), x, other);
  }

  static Reg add(Reg a, Reg b) { return vaddq_f32(a, b); }
  static Reg sub(Reg a, Reg b) { return vsubq_f32(a, b); }
  static Reg mul(Reg a, Reg b) { return vmulq_f32(a, b); }
  static Reg div(Reg a, Reg b) { return vdivq_f32(a, b); }
  /// a < b ? a : b, and a > b ? a : b: b where they are not ordered.
  static Reg min(Reg a, Reg b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
  static Reg max(Reg a, Reg b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
  static Reg abs(Reg a) { return vabsq_f32(a); }
  static Reg multiply_add(Reg a, Reg b, Reg c) { return vfmaq_f32(c, a, b); }
  /// c − a · b
  static Reg subtract_product(Reg a, Reg b, Reg c) { return vfmsq_f32(c, a, b); }
  static Reg floor(Reg a) { return vrndmq_f32(a); }
  /// a · 2^n for whole n in [-126, 127].
  static Reg scale_by_power(Reg a, Reg n) {
    const int32x4_t biased = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
    return vmulq_f32(a, vreinterpretq_f32_s32(vshlq_n_s32(biased, 23)));
  }
  /// Lanes joined by halves, here and in max_lane().
  static float sum(Reg a) {
    const float32x2_t two = vadd_f32(vget_low_f32(a), vget_high_f32(a));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
  }
  static float max_lane(Reg a) { return vmaxvq_f32(a); }
  static float sqrt(float a) { return vget_lane_f32(vsqrt_f32(vdup_n_f32(a)), 0); }
  // Always inline: GCC 12 holds a function that only prefetches for one without effect, and drops
  // its calls.
  [[gnu::always_inline]] static void prefetch(const char* p) { __builtin_prefetch(p); }

  /// The 4 × 4 matrix in `row` becomes its transpose.
  static void transpose(Reg (&row)[kLanes]) {
    const auto even = [](Reg a, Reg b) { return vreinterpretq_f64_f32(vtrn1q_f32(a, b)); };
    const auto odd = [](Reg a, Reg b) { return vreinterpretq_f64_f32(vtrn2q_f32(a, b)); };
    // Pairs of one column: columns 0 and 2, then 1 and 3, of rows 0 and 1, then 2 and 3.
    const float64x2_t even_low = even(row[0], row[1]);
    const float64x2_t odd_low = odd(row[0], row[1]);
    const float64x2_t even_high = even(row[2], row[3]);
    const float64x2_t odd_high = odd(row[2], row[3]);
    row[0] = vreinterpretq_f32_f64(vtrn1q_f64(even_low, even_high));
    row[1] = vreinterpretq_f32_f64(vtrn1q_f64(odd_low, odd_high));
    row[2] = vreinterpretq_f32_f64(vtrn2q_f64(even_low, even_high));
    row[3] = vreinterpretq_f32_f64(vtrn2q_f64(odd_low, odd_high));
  }
};

/// Codes and weights as wide as their products, so that the multiply-add takes an element of x as
/// an operand, like that of floats. SDOT, which not every aarch64 has, would be a file of its own.
struct Integers {
  using Reg = int32x4_t;
  using Code = std::int32_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 1;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  static Reg zero() { return vdupq_n_s32(0); }
  static Reg set(std::int32_t x) { return vdupq_n_s32(x); }
  static Reg load(const std::int32_t* p) { return vld1q_s32(p); }
  static void store(std::int32_t* p, Reg x) { vst1q_s32(p, x); }
  static Reg add(Reg a, Reg b) { return vaddq_s32(a, b); }
  static Reg sub(Reg a, Reg b) { return vsubq_s32(a, b); }
  static Reg mul(Reg a, Reg b) { return vmulq_s32(a, b); }
  static Vec::Reg to_float(Reg a) { return vcvtq_f32_s32(a); }

  /// 4 weights, as they stand in a panel, widened.
  static Reg load_weights(const Weight* p) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, p, sizeof(bits));
    return vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(bits))));
  }
  static Reg broadcast(const Code* code) { return set(*code); }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return vmlaq_s32(sum, weights, codes);
  }

  /// To nearest even; what is less than −256, and NaN, becomes −256.
  static Reg round(Vec::Reg x) { return vcvtnq_s32_f32(Vec::max(x, Vec::set(-256.0F))); }
  /// Cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    vst1q_s32(p, vminq_s32(vmaxq_s32(code, zero()), set(255)));
  }
  /// Codes with sign, as load_weights() finds them.
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

#include "engine/kernels/product_bf16.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("neon");
constexpr Products kBf16 = products_of<Bf16>("neon");
constexpr Products kInt8 = with_int8_attention(products_of<Int8>("neon"));

}  // namespace

extern const Kernels neon_kernels;
const Kernels neon_kernels = table_of("neon", &kF32, &kBf16, &kInt8);

}  // namespace embd::kernels
