// The table for WebAssembly's relaxed SIMD if its multiply-adds round once, which cpu_features()
// finds out.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Products wasm_dot_unsigned_products;
extern const Products wasm_dot_signed_products;

namespace {

#include "engine/kernels/wasm_vec.inc"

#include "engine/kernels/wasm_relaxed_vec.inc"

#include "engine/kernels/wasm_halves.inc"

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("wasm_relaxed");
/// The products for engines on which no relaxed product of bytes is exact.
constexpr Products kInt8 = products_of<Int8>("wasm_relaxed", kInt8Attention);

}  // namespace

extern const Kernels wasm_relaxed_kernels;
const Kernels wasm_relaxed_kernels = {
    .name = "wasm_relaxed",
    .f32 = {&kF32},
    .bf16 = {},
    .int8 = {&wasm_dot_unsigned_products, &wasm_dot_signed_products, &kInt8},
    .attention = {attention_scratch, attention},
    .layer_norm = layer_norm,
    .exp2 = exp2_in_place,
    .gelu = gelu_in_place};

}  // namespace embd::kernels
