// The products of avx2_vnni.cc in the encoding of AVX-512 (VNNI with VL), for processors that have
// no other encoding.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

__m256i add_products(__m256i sum, __m256i codes, __m256i weights) {
  return _mm256_dpbusd_epi32(sum, codes, weights);
}

#include "engine/kernels/avx2_vec.inc"

#include "engine/kernels/avx2_vnni.inc"

}  // namespace

extern const Products avx2_vnni_evex_products;
const Products avx2_vnni_evex_products = products_of<Int8>("avx2_vnni_evex", kInt8Attention);

}  // namespace embd::kernels
