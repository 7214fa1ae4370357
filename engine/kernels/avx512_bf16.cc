// Products in bfloat16 for AVX-512 with BF16. In each lane, an instruction adds two products to a
// float32 sum.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

namespace wide {
#include "engine/kernels/avx512_vec.inc"
}

struct Vec : wide::Vec {
  static constexpr std::int64_t kTileVectors = 1;
};

#include "engine/kernels/body.inc"

struct Bfloats {
  using WhenNearZero = struct BfloatsNearZero;
  using Element = std::uint16_t;
  static constexpr std::int64_t kGroup = 4;
  // 8 sums, 16 pairs of chains, 2 rows of weights, 1 group of x: 27 of 32 registers. With more,
  // sums would be stored and loaded again for each 32 elements.
  static constexpr std::int64_t kTileRows = 8;
  static constexpr std::int64_t kBlockRows = 8 * Vec::kTileRows;

  /// Finds the smallest magnitude that is not 0; infinity if there is none.
  class LeastMagnitude {
   public:
    void add(__m512i elements) {
      // Twice the magnitude, less 1, so that 0 becomes the greatest value.
      const __m512i ordered =
          _mm512_sub_epi16(_mm512_add_epi16(elements, elements), _mm512_set1_epi16(1));
      least_ = _mm512_min_epu16(least_, ordered);
    }
    float value() const {
      std::uint16_t all[32];
      _mm512_storeu_si512(all, least_);
      std::uint16_t least = UINT16_MAX;
      for (const std::uint16_t one : all) least = one < least ? one : least;
      const std::uint32_t bits = least == UINT16_MAX ? 0x7F800000U : (least + 1U) / 2 << 16;
      float magnitude;
      __builtin_memcpy(&magnitude, &bits, sizeof(bits));
      return magnitude;
    }

   private:
    __m512i least_ = _mm512_set1_epi16(-1);
  };

  /// Rounds a row as the instruction does: to nearest even, and to zero below 2^-126. In each group
  /// of four elements, the third is stored before the first, and the fourth before the second. The
  /// instruction adds first the product of the second elements of a pair and then the product of
  /// its first elements. So a group is one step of the chain of even elements and one step of the
  /// chain of odd elements.
  static void round_row(const float* x, std::int64_t n, Element* elements, LeastMagnitude& least) {
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(4, 5, 0, 1, 6, 7, 2, 3, 12, 13, 8, 9, 14, 15, 10, 11));
    for (std::int64_t k = 0; k < n; k += 32) {
      const std::int64_t rest = n - k;
      const Reg low = load_up_to(x + k, min_of(kLanes, rest));
      const Reg high =
          rest <= kLanes ? Vec::zero() : load_up_to(x + k + kLanes, min_of(kLanes, rest - kLanes));
      const auto rounded = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
      least.add(rounded);
      _mm512_storeu_si512(elements + k, _mm512_shuffle_epi8(rounded, order));
    }
  }

  /// Returns the place of a column in a panel. With these places, the shuffles of own_loop() leave
  /// the columns in order.
  static std::int64_t place_in_panel(std::int64_t column) {
    return column / 2 % 2 * 8 + column / 4 * 2 + column % 2;
  }
  /// Packs keys as in bf16_in_floats.inc; pack_values() packs values so.
  template <class A>
  static void pack_keys(const float* key, std::int64_t stride, std::int64_t seq_len,
                        std::int64_t head_dim, Element* panels, LeastMagnitude& least) {
    A::pack_columns(key, stride, seq_len, head_dim, panels, least);
  }
  static void pack_values(const float* value, std::int64_t stride, std::int64_t seq_len,
                          std::int64_t head_dim, Element* panels, LeastMagnitude& least) {
    for (std::int64_t c = 0; c < head_dim; c += kLanes) {
      const std::int64_t lanes = min_of(kLanes, head_dim - c);
      for (std::int64_t t = 0; t < round_up(seq_len, 32); t += 4, panels += 4 * kLanes) {
        const auto row = [&](std::int64_t i) {
          return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(
              t + i < seq_len ? load_up_to(value + (t + i) * stride + c, lanes) : Vec::zero()));
        };
        // Columns 0 to 3 and 8 to 11; columns 4 to 7 and 12 to 15.
        const __m256i even_low = _mm256_unpacklo_epi16(row(2), row(0));
        const __m256i even_high = _mm256_unpackhi_epi16(row(2), row(0));
        const __m256i odd_low = _mm256_unpacklo_epi16(row(3), row(1));
        const __m256i odd_high = _mm256_unpackhi_epi16(row(3), row(1));
        // Columns 0, 1, 8, 9 and 4, 5, 12, 13; the others.
        const __m512i left = interleave(_mm256_unpacklo_epi32(even_low, odd_low),
                                        _mm256_unpacklo_epi32(even_high, odd_high));
        const __m512i right = interleave(_mm256_unpackhi_epi32(even_low, odd_low),
                                         _mm256_unpackhi_epi32(even_high, odd_high));
        least.add(left);
        least.add(right);
        _mm512_storeu_si512(panels, left);
        _mm512_storeu_si512(panels + 2 * kLanes, right);
      }
    }
  }
  /// Returns a register of four quarters: the first halves of a and of b, then the second halves of
  /// both.
  static __m512i interleave(__m256i a, __m256i b) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_permute2x128_si256(a, b, 0x20)),
                              _mm256_permute2x128_si256(a, b, 0x31), 1);
  }

  static Reg broadcast(const Element* group) {
    long long bits;
    __builtin_memcpy(&bits, group, sizeof(bits));
    return _mm512_castsi512_ps(_mm512_set1_epi64(bits));
  }
  /// Loads 8 columns, an even and an odd pair of each.
  static Reg load_weights(const Element* weights) {
    return _mm512_castsi512_ps(_mm512_loadu_si512(weights));
  }
  static Reg multiply_add(Reg x, Reg weights, Reg chains) {
    return _mm512_dpbf16_ps(chains, reinterpret_cast<__m512bh>(x),
                            reinterpret_cast<__m512bh>(weights));
  }
  static Reg add(Reg a, Reg b) { return Vec::add(a, b); }
};

/// The arithmetic for sums that may be below 2^-126. The instruction turns such a sum into zero,
/// but an addition does not, so add() does it.
struct BfloatsNearZero : Bfloats {
  static constexpr std::int64_t kTileRows = 1;

  static Reg add(Reg a, Reg b) {
    const Reg sum = Vec::add(a, b);
    const __mmask16 denormal = _mm512_cmp_ps_mask(Vec::abs(sum), Vec::set(0x1p-126F), _CMP_LT_OQ);
    return _mm512_mask_and_ps(sum, denormal, sum, Vec::set(-0.0F));
  }
};

#include "engine/kernels/product_bf16.inc"

/// The loop over k. The chains of 16 columns are in two registers: each column has an even and an
/// odd chain.
template <class A, std::int64_t kRows, std::int64_t kVectors>
[[gnu::always_inline]] inline Tile<A, kRows, kVectors> own_loop(const typename A::Input* x,
                                                                std::int64_t stride,
                                                                const typename A::Weight* panel,
                                                                std::int64_t steps,
                                                                Prefetch prefetch) {
  static_assert(kVectors == 1);
  Tile<A, kRows, 1> tile;
#pragma GCC unroll 8
  for (auto& row : tile.sum) row[0] = Vec::zero();
  for (std::int64_t begin = 0; begin < steps; begin += A::kChain) {
    Tile<A, kRows, 2> chains;
    for_each_sum<kRows, 2>([&](std::int64_t r, std::int64_t v) { chains.sum[r][v] = Vec::zero(); });
#pragma GCC unroll 8
    for (std::int64_t k = 0; k < A::kChain; ++k) {
      const Reg left = A::load_weights(panel + k * kStepValues<A>);
      const Reg right = A::load_weights(panel + k * kStepValues<A> + kStepValues<A> / 2);
      Vec::prefetch(prefetch.next + k * prefetch.step);
      Vec::prefetch(prefetch.next + k * prefetch.step + 64);
#pragma GCC unroll 8
      for (std::int64_t r = 0; r < kRows; ++r) {
        const Reg group = A::broadcast(x + r * stride + k * A::kGroup);
        chains.sum[r][0] = A::multiply_add(group, left, chains.sum[r][0]);
        chains.sum[r][1] = A::multiply_add(group, right, chains.sum[r][1]);
      }
    }
#pragma GCC unroll 8
    for (std::int64_t r = 0; r < kRows; ++r) {
      const Reg even = _mm512_shuffle_ps(chains.sum[r][0], chains.sum[r][1], 0x88);
      const Reg odd = _mm512_shuffle_ps(chains.sum[r][0], chains.sum[r][1], 0xDD);
      tile.sum[r][0] = A::add(tile.sum[r][0], A::add(even, odd));
    }
    x += A::kChain * A::kGroup;
    panel += A::kChain * kStepValues<A>;
    prefetch.next += A::kChain * prefetch.step;
  }
  return tile;
}

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention_bf16.inc"

}  // namespace

extern const Products avx512_bf16_products;
const Products avx512_bf16_products = products_of<Bf16>("avx512_bf16", kBf16Attention);

}  // namespace embd::kernels
