// Products in int8 for NEON with matrix products of bytes (I8MM). An instruction multiplies two
// rows of x by two columns of weights, 32 unsigned bytes by signed bytes, and adds eight products
// at a time in 32 bits, so that nothing saturates.

#include <arm_neon.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/neon_vec.inc"

struct Integers : Int32 {
  using Code = std::uint8_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 8;
  static constexpr std::int64_t kUnit = kGroup;
  // A register of weights holds 2 columns, so a register of sums holds the sums of two rows.
  static constexpr bool kOwnLoop = true;

  /// Loads the groups of 2 columns of a panel.
  static Reg load_weights(const Weight* p) { return vreinterpretq_s32_s8(vld1q_s8(p)); }
  /// Loads the group of one row for both columns.
  static Reg broadcast(const Code* group) { return two_rows(group, group); }
  static Reg two_rows(const Code* first, const Code* second) {
    return vreinterpretq_s32_u8(vcombine_u8(vld1_u8(first), vld1_u8(second)));
  }
  /// Adds the products of two rows and two columns: [row 0 · column 0, row 0 · column 1, row 1 ·
  /// column 0, row 1 · column 1].
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return vusmmlaq_s32(sum, vreinterpretq_u8_s32(codes), vreinterpretq_s8_s32(weights));
  }
  /// Return columns 0 to 3 of one row. `left` is the result of multiply_add() for columns 0 and 1,
  /// `right` for columns 2 and 3.
  static Reg first_row(Reg left, Reg right) {
    return vreinterpretq_s32_s64(
        vtrn1q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right)));
  }
  static Reg second_row(Reg left, Reg right) {
    return vreinterpretq_s32_s64(
        vtrn2q_s64(vreinterpretq_s64_s32(left), vreinterpretq_s64_s32(right)));
  }

  /// Stores the codes, cut to [0, 255].
  static void store_codes(Code* p, Reg code) {
    const int16x4_t words = vqmovn_s32(code);
    const std::uint32_t bytes =
        vget_lane_u32(vreinterpret_u32_u8(vqmovun_s16(vcombine_s16(words, words))), 0);
    __builtin_memcpy(p, &bytes, sizeof(bytes));
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    const Reg low = four_bytes(code[0], code[1], code[2], code[3]);
    const Reg high = four_bytes(code[4], code[5], code[6], code[7]);
    vst1q_s8(p, vreinterpretq_s8_s32(vzip1q_s32(low, high)));
    vst1q_s8(p + 16, vreinterpretq_s8_s32(vzip2q_s32(low, high)));
  }

 private:
  /// Returns four codes as bytes. Each is inserted above the bytes of the codes before it.
  static Reg four_bytes(Reg a, Reg b, Reg c, Reg d) {
    return vsliq_n_s32(a, vsliq_n_s32(b, vsliq_n_s32(c, d, 8), 8), 8);
  }
};

#include "engine/kernels/body.inc"

/// The loop over k. If the number of rows is odd, the last row is paired with itself.
template <class A, std::int64_t kRows, std::int64_t kVectors>
[[gnu::always_inline]] inline Tile<A, kRows, kVectors> own_loop(const typename A::Input* x,
                                                                std::int64_t stride,
                                                                const typename A::Weight* panel,
                                                                std::int64_t steps,
                                                                Prefetch prefetch) {
  constexpr std::int64_t kRowPairs = round_up(kRows, 2) / 2;
  constexpr std::int64_t kColumnPairs = kVectors * kLanes / 2;
  Integers::Reg sum[kRowPairs][kColumnPairs];
#pragma GCC unroll 4
  for (auto& row : sum) {
#pragma GCC unroll 6
    for (Integers::Reg& pair : row) pair = Integers::zero();
  }
#pragma GCC unroll 2
  for (std::int64_t k = 0; k < steps; ++k) {
    Integers::Reg group[kRowPairs];
#pragma GCC unroll 4
    for (std::int64_t r = 0; r < kRowPairs; ++r) {
      const typename A::Input* first = x + 2 * r * stride + k * A::kGroup;
      group[r] = Integers::two_rows(first, 2 * r + 1 < kRows ? first + stride : first);
    }
#pragma GCC unroll 6
    for (std::int64_t c = 0; c < kColumnPairs; ++c) {
      const Integers::Reg weights =
          Integers::load_weights(panel + k * kStepValues<A> + c * 2 * A::kGroup);
      // One prefetch for each cache line.
      if (c * 64 < kStepBytes<A>) Vec::prefetch(prefetch.next + k * prefetch.step + c * 64);
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kRowPairs; ++r) {
        sum[r][c] = Integers::multiply_add(group[r], weights, sum[r][c]);
      }
    }
  }
  Tile<A, kRows, kVectors> tile;
  for_each_sum<kRows, kVectors>([&](std::int64_t r, std::int64_t v) {
    const Integers::Reg left = sum[r / 2][2 * v];
    const Integers::Reg right = sum[r / 2][2 * v + 1];
    tile.sum[r][v] =
        r % 2 == 0 ? Integers::first_row(left, right) : Integers::second_row(left, right);
  });
  return tile;
}

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/attention_int8.inc"

}  // namespace

extern const Products neon_i8mm_products;
const Products neon_i8mm_products = products_of<Int8>("neon_i8mm", kInt8Attention);

}  // namespace embd::kernels
