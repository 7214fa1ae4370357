// The products of avx512_amx.cc over a model of the AMX instructions, for tests on processors
// without AMX (EMBD_AMX_MODEL).

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/concepts.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "base/fused.inc"

namespace arrays {
#include "engine/kernels/portable_vec.inc"
}

struct Vec : arrays::Vec {
  static constexpr bool kByTiles = true;
  static constexpr std::int64_t kTileRows = 16;
  static constexpr std::int64_t kTileVectors = 1;
};

struct Integers : arrays::Int32 {
  using Code = std::uint8_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 4;
  static constexpr std::int64_t kUnit = 64;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  static void store_codes(Code* p, const Reg& code) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) p[i] = static_cast<Code>(byte(code.lane[i]));
  }
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    for (std::int64_t i = 0; i < kGroup * Vec::kLanes; ++i) {
      p[i] = static_cast<Weight>(code[i % kGroup].lane[i / kGroup]);
    }
  }
};

#include "base/bf16_scalar.inc"

struct Halves {
  static std::uint16_t round(float x) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return static_cast<std::uint16_t>(round_to_bf16(bits) >> 16);
  }
  static void store(std::uint16_t* p, const Vec::Reg& x) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) p[i] = round(x.lane[i]);
  }
  static void store_pairs(std::uint16_t* p, const Vec::Reg& x, const Vec::Reg& y) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) {
      p[2 * i] = round(x.lane[i]);
      p[2 * i + 1] = round(y.lane[i]);
    }
  }
};

#include "base/amx_tiles_model.inc"

#include "engine/kernels/amx_products.inc"

}  // namespace

extern const Products amx_model_bf16_products;
const Products amx_model_bf16_products = products_of<Bf16>("amx_model", kBf16Attention);

extern const Products amx_model_int8_products;
const Products amx_model_int8_products = products_of<Int8>("amx_model", kInt8Attention);

}  // namespace embd::kernels
