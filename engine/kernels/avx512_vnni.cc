// Products in int8 for AVX-512 with VNNI. An instruction multiplies 64 unsigned bytes by signed
// bytes and adds four products at a time in 32 bits, so that nothing can saturate.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/avx512_vec.inc"

#include "engine/kernels/avx512_bytes.inc"

struct Integers : Bytes {
  static constexpr std::int64_t kUnit = kGroup;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;
  static constexpr bool kLoopOverLeastBlock = true;

  /// Loads 16 groups of weights of a panel.
  static Reg load_weights(const Weight* p) { return _mm512_loadu_si512(p); }
  static Reg multiply_add(Reg codes, Reg weights, Reg sum) {
    return _mm512_dpbusd_epi32(sum, codes, weights);
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/attention_int8.inc"

}  // namespace

extern const Products avx512_vnni_products;
const Products avx512_vnni_products = products_of<Int8>("avx512_vnni", kInt8Attention);

}  // namespace embd::kernels
