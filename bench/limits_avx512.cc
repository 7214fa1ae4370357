#include <immintrin.h>

#include <cstdint>

#include "bench/limits.h"

namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;
constexpr int kSums = 28;

#include "bench/limits.inc"

double multiply_add_int8(long rounds) noexcept {
  return sum_products<__m512i>(
      rounds, 4, [](__m512i x, __m512i w, __m512i sum) { return _mm512_dpbusd_epi32(sum, x, w); });
}

double multiply_add_bf16(long rounds) noexcept {
  return sum_products<__m512>(rounds, 2, [](__m512 x, __m512 w, __m512 sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(x), reinterpret_cast<__m512bh>(w));
  });
}

/// In 256 bits.
double multiply_add_int8_avx2(long rounds) noexcept {
  return sum_products<__m256i>(
             rounds, 4,
             [](__m256i x, __m256i w, __m256i sum) { return _mm256_dpbusd_epi32(sum, x, w); }) /
         2;
}

#include "base/amx_tiles.inc"

/// Four independent sums, as many as the kernels have, and no loads.
template <class Element>
double multiply_add_by_tiles(long rounds) noexcept {
  Tiles tiles(16, 16);
  tiles.zero<0>();
  tiles.zero<1>();
  tiles.zero<2>();
  tiles.zero<3>();
  tiles.zero<4>();
  tiles.zero<6>();
  for (long round = 0; round < rounds; ++round) {
    tiles.multiply<Element, 0, 4, 6>();
    tiles.multiply<Element, 1, 4, 6>();
    tiles.multiply<Element, 2, 4, 6>();
    tiles.multiply<Element, 3, 4, 6>();
  }
  return 2.0 * 4 * 16 * 16 * (64 / sizeof(Element)) * static_cast<double>(rounds);
}

}  // namespace

/// Of AVX2 with VNNI, in the encoding of AVX-512; products in int8 alone.
extern const Limits avx2_vnni_limits;
const Limits avx2_vnni_limits = {nullptr, multiply_add_int8_avx2, nullptr, nullptr, read};

extern const Limits avx512_limits;
const Limits avx512_limits = {multiply_add, multiply_add_int8, multiply_add_bf16, nullptr, read};

/// With the tiles of AMX.
extern const Limits avx512_amx_limits;
const Limits avx512_amx_limits = {multiply_add, multiply_add_by_tiles<std::uint8_t>,
                                  multiply_add_by_tiles<std::uint16_t>, nullptr, read};

}  // namespace embd::bench
