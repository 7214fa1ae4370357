// Products in bfloat16 for AVX-512 with BF16: two products of 8-bit mantissas an instruction and
// lane, added to a float32 sum.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/avx512_vec.inc"

#include "engine/kernels/body.inc"

/// The upper half of a float32, rounded as the instruction for x does: to nearest even, and zero
/// below 2^-126.
std::uint16_t bfloat16_bits(float x) {
  return reinterpret_cast<__v8hi>(_mm_cvtneps_pbh(_mm_set_ss(x)))[0];
}

struct Bf16 {
  using Input = std::uint16_t;
  using Weight = std::uint16_t;
  using Sum = Reg;
  using Scales = NoScales;
  static constexpr std::int64_t kGroup = 2;
  static constexpr std::int64_t kUnit = kGroup;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;
  static constexpr std::int64_t kBlockRows = 8 * kTileRows;
  static constexpr std::int64_t kMaxDepth = INT64_MAX;
  static constexpr std::int64_t kChain = INT64_MAX;

  static Reg gelu(Reg x) { return gelu_in_f32(x); }
  static Reg zero() { return Vec::zero(); }
  static Reg broadcast(const Input* pair) {
    int bits;
    __builtin_memcpy(&bits, pair, sizeof(bits));
    return _mm512_castsi512_ps(_mm512_set1_epi32(bits));
  }
  static Reg load(const Weight* weights) {
    return _mm512_castsi512_ps(_mm512_loadu_si512(weights));
  }
  static Reg multiply_add(Reg x, Reg weights, Reg sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(x),
                            reinterpret_cast<__m512bh>(weights));
  }

  static std::int64_t rows_that_meet_all_panels(std::int64_t /*depth*/) { return kBlockRows; }

  static std::int64_t input_stride(std::int64_t in) { return round_up(in, kLanes); }
  static std::int64_t scratch_floats(std::int64_t rows, std::int64_t in) {
    return round_up(rows * input_stride(in), 32) / 2;
  }

  static Inputs<Bf16> convert(const float* x, std::int64_t stride, std::int64_t rows,
                              const Linear& w, float* scratch) {
    auto* inputs = reinterpret_cast<Input*>(scratch);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < w.in; k += kLanes) {
        const __m256bh rounded =
            _mm512_cvtneps_pbh(load_up_to(x + r * stride + k, min_of(kLanes, w.in - k)));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(inputs + r * input_stride(w.in) + k),
                            reinterpret_cast<__m256i>(rounded));
      }
    }
    return {inputs, input_stride(w.in), {}};
  }

  static std::size_t packed_bytes(std::int64_t out, std::int64_t in) noexcept {
    return static_cast<std::size_t>(panel_bytes<Bf16>(out, in));
  }

  static void pack(const WeightValues& weight, void* packed) noexcept {
    const std::int64_t steps = steps_of<Bf16>(weight.in);
    for (std::int64_t o = 0; o < round_up(weight.out, kPanel); ++o) {
      auto* column =
          static_cast<Weight*>(packed) + (o / kPanel * kPanel * steps + o % kPanel) * kGroup;
      for (std::int64_t k = 0; k < steps * kGroup; ++k) {
        const bool inside = o < weight.out && k < weight.in;
        column[k / kGroup * kPanel * kGroup + k % kGroup] =
            inside ? bfloat16_bits(weight.values[o * weight.in + k]) : std::uint16_t{0};
      }
    }
  }
};

}  // namespace

extern const Products avx512_bf16_products;
const Products avx512_bf16_products = products_of<Bf16>("avx512_bf16");

}  // namespace embd::kernels
