// The table for WebAssembly's SIMD, which has no fused multiply-add. For tests, it is also compiled
// for other processors.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "base/fused.inc"

#include "engine/kernels/wasm_vec.inc"

#include "engine/kernels/wide_chain.inc"

using Vec = WideFloats;

#include "engine/kernels/wasm_halves.inc"

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/wide_products.inc"

// In a browser, bf16 would be slower than float32 and would take half of the code of this table.
// Only tests have it, so that the table has every arithmetic.
#if !defined(__wasm__)
#include "base/bf16_scalar.inc"

#include "engine/kernels/bf16_in_floats.inc"

#include "engine/kernels/product_bf16.inc"
#endif

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention.inc"

#if !defined(__wasm__)
#include "engine/kernels/attention_bf16.inc"
#endif

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("wasm_simd128");
#if defined(__wasm__)
constexpr const Products* kBf16 = nullptr;
#else
constexpr Products kBf16Products = products_of<Bf16>("wasm_simd128", kBf16Attention);
constexpr const Products* kBf16 = &kBf16Products;
#endif

constexpr Products kInt8 = products_of<Int8>("wasm_simd128", kInt8Attention);

}  // namespace

extern const Kernels wasm_simd128_kernels;
const Kernels wasm_simd128_kernels = table_of("wasm_simd128", &kF32, kBf16, &kInt8);

}  // namespace embd::kernels
