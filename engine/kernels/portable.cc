// The table for every processor that has no table of its own.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Products amx_model_bf16_products;
extern const Products amx_model_int8_products;

namespace {

#include "base/fused.inc"

#include "engine/kernels/portable_vec.inc"

/// The integers for products of codes that are as wide as the sums.
struct Integers : Int32 {
  using Code = std::int32_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 1;
  static constexpr std::int64_t kUnit = kGroup;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  /// Loads 16 weights of a panel and widens them.
  static Reg load_weights(const Weight* p) {
    return each([=](std::int64_t i) { return static_cast<std::int32_t>(p[i]); });
  }
  static Reg broadcast(const Code* code) { return set(*code); }
  static Reg multiply_add(const Reg& codes, const Reg& weights, const Reg& sum) {
    return each([&](std::int64_t i) { return sum.lane[i] + codes.lane[i] * weights.lane[i]; });
  }

  /// Stores the codes, cut to [0, 255].
  static void store_codes(Code* p, const Reg& code) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) p[i] = byte(code.lane[i]);
  }
  /// Stores signed codes in the layout that load_weights() reads.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) p[i] = static_cast<Weight>(code[0].lane[i]);
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "base/bf16_scalar.inc"

#include "engine/kernels/bf16_in_floats.inc"

#include "engine/kernels/product_bf16.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/softmax.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_bf16.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("portable");
constexpr Products kBf16 = products_of<Bf16>("portable", kBf16Attention);
constexpr Products kInt8 = products_of<Int8>("portable", kInt8Attention);

}  // namespace

extern const Kernels portable_kernels;
const Kernels portable_kernels = table_of("portable", &kF32, &kBf16, &kInt8);

#if defined(EMBD_AMX_MODEL)
extern const Kernels amx_model_kernels;
const Kernels amx_model_kernels =
    table_of("amx_model", &kF32, &amx_model_bf16_products, &amx_model_int8_products);
#endif

}  // namespace embd::kernels
