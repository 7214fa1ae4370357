// Products in int8 for AVX2 with AVX-VNNI, which processors without AVX-512 have.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

__m256i add_products(__m256i sum, __m256i codes, __m256i weights) {
  return _mm256_dpbusd_avx_epi32(sum, codes, weights);
}

#include "engine/kernels/avx2_vec.inc"

#include "engine/kernels/avx2_vnni.inc"

}  // namespace

extern const Products avx2_vnni_products;
const Products avx2_vnni_products = products_of<Int8>("avx2_vnni", kInt8Attention);

}  // namespace embd::kernels
