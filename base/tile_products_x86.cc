// Compiled for AVX-VNNI and AMX: it may include nothing whose inline code other files share.
#include "base/tile_products.h"

#include <immintrin.h>

namespace embd {
namespace {

#include "base/amx_tiles.inc"

#include "base/tile_product.inc"

void multiply_bytes_by_vnni(TileOperands& operands) noexcept {
  for (int row = 0; row < 16; ++row) {
    for (int half = 0; half < 2; ++half) {
      auto* const place = reinterpret_cast<__m256i*>(operands.sums[row] + 8 * half);
      __m256i sum = _mm256_loadu_si256(place);
      for (int k = 0; k < 16; ++k) {
        int codes;
        __builtin_memcpy(&codes, operands.x[row] + 4 * k, sizeof(codes));
        const auto* const weights =
            reinterpret_cast<const __m256i*>(operands.weights[k] + 32 * half);
        sum = _mm256_dpbusd_avx_epi32(sum, _mm256_set1_epi32(codes), _mm256_loadu_si256(weights));
      }
      _mm256_storeu_si256(place, sum);
    }
  }
}

}  // namespace

const TileProducts amx_tile_products = {multiply_tile<Tiles, std::uint8_t>,
                                        multiply_tile<Tiles, std::uint16_t>};
const TileProducts avx_vnni_tile_products = {multiply_bytes_by_vnni};

}  // namespace embd
