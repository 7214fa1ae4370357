// Products in int8 for WebAssembly's relaxed SIMD, 16 multiplications of bytes an instruction:
// codes from 0 to 255, where the engine takes them so: x86 with VNNI. Only where cpu_features()
// found that exact.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "engine/kernels/wasm_vec.inc"

#include "engine/kernels/wasm_relaxed_vec.inc"

using DotCode = std::uint8_t;

#include "engine/kernels/wasm_dot.inc"

#include "engine/kernels/body.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/attention_int8.inc"

}  // namespace

extern const Products wasm_dot_unsigned_products;
const Products wasm_dot_unsigned_products = products_of<Int8>("wasm_relaxed_dot", kInt8Attention);

}  // namespace embd::kernels
