// The table for AVX-512 (F, BW, DQ, VL): 32 registers of 16 floats.

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

bool avx512_supported() noexcept;
extern const Products avx512_bf16_products;
extern const Products avx512_vnni_products;

namespace {

#include "engine/kernels/avx512_vec.inc"

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/attention.inc"

constexpr Products kF32 = products_of<F32>("avx512", avx512_supported);

}  // namespace

extern const Kernels avx512_kernels;
const Kernels avx512_kernels =
    table_of("avx512", avx512_supported, &kF32, &avx512_bf16_products, &avx512_vnni_products);

}  // namespace embd::kernels
