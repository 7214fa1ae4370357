// Products in int8 for WebAssembly's relaxed SIMD, whose instruction multiplies 16 bytes at a time.
// They are for engines that take codes as signed bytes, as on ARM; the codes are therefore stored
// less 128. They are used only if cpu_features() has found that the products are exact.

#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

using DotCode = std::int8_t;

#include "engine/kernels/wasm_dot.inc"

}  // namespace

extern const Products wasm_dot_signed_products;
const Products wasm_dot_signed_products = products_of<Int8>("wasm_relaxed_dot", kInt8Attention);

}  // namespace embd::kernels
