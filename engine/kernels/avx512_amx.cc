// Products in int8 and bf16 by the tiles of AMX. Their sums are processed with AVX-512.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "base/amx_tiles.inc"

namespace wide {
#include "engine/kernels/avx512_vec.inc"
}

struct Vec : wide::Vec {
  static constexpr bool kByTiles = true;
  static constexpr std::int64_t kTileRows = 16;
  static constexpr std::int64_t kTileVectors = 1;
};
using wide::Int32;

#include "engine/kernels/avx512_bytes.inc"

struct Integers : Bytes {
  static constexpr std::int64_t kUnit = 64;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;
};

struct Halves {
  static void store(std::uint16_t* p, Vec::Reg x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                        reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x)));
  }
  static void store_pairs(std::uint16_t* p, Vec::Reg x, Vec::Reg y) {
    const auto wide = [](Vec::Reg v) {
      return _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v)));
    };
    _mm512_storeu_si512(p, _mm512_or_si512(wide(x), _mm512_slli_epi32(wide(y), 16)));
  }
};

#include "engine/kernels/amx_products.inc"

}  // namespace

extern const Products avx512_amx_bf16_products;
const Products avx512_amx_bf16_products = products_of<Bf16>("avx512_amx", kBf16Attention);

extern const Products avx512_amx_int8_products;
const Products avx512_amx_int8_products = products_of<Int8>("avx512_amx", kInt8Attention);

}  // namespace embd::kernels
