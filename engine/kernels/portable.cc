// The table of every processor that has none of its own: 16 floats in an array, and plain loops
// over them. What the operations do here is what they mean in every other table.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

namespace {

#include "base/fused.inc"

struct Vec {
  static constexpr std::int64_t kLanes = 16;
  static constexpr std::int64_t kTileRows = 4;
  static constexpr std::int64_t kTileVectors = 1;
  struct Reg {
    float lane[kLanes];
  };

  template <class F>
  [[gnu::always_inline]] static Reg each(const F& f) {
    Reg x;
#pragma omp simd
    for (std::int64_t i = 0; i < kLanes; ++i) x.lane[i] = f(i);
    return x;
  }

  static Reg zero() { return set(0); }
  static Reg set(float x) {
    return each([=](std::int64_t) { return x; });
  }
  static Reg load(const float* p) {
    return each([=](std::int64_t i) { return p[i]; });
  }
  static void store(float* p, const Reg& x) { __builtin_memcpy(p, x.lane, sizeof(x)); }
  static Reg load_first(const float* p, std::int64_t n) {
    Reg x = zero();
    for (std::int64_t i = 0; i < n; ++i) x.lane[i] = p[i];
    return x;
  }
  static void store_first(float* p, const Reg& x, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) p[i] = x.lane[i];
  }
  /// Lanes from n on become `other`.
  static Reg keep_first(const Reg& x, std::int64_t n, const Reg& other) {
    return each([&, n](std::int64_t i) { return i < n ? x.lane[i] : other.lane[i]; });
  }

  static Reg add(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] + b.lane[i]; });
  }
  static Reg sub(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] - b.lane[i]; });
  }
  static Reg mul(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] * b.lane[i]; });
  }
  static Reg div(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] / b.lane[i]; });
  }
  static Reg min(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Reg max(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Reg abs(const Reg& a) {
    return each([&](std::int64_t i) { return std::fabs(a.lane[i]); });
  }
  static Reg multiply_add(const Reg& a, const Reg& b, const Reg& c) {
    return each([&](std::int64_t i) { return fused(a.lane[i], b.lane[i], c.lane[i]); });
  }
  /// c − a · b
  static Reg subtract_product(const Reg& a, const Reg& b, const Reg& c) {
    return each([&](std::int64_t i) { return fused(-a.lane[i], b.lane[i], c.lane[i]); });
  }
  static Reg floor(const Reg& a) {
    return each([&](std::int64_t i) { return std::floor(a.lane[i]); });
  }
  /// a · 2^n for whole n in [-126, 127].
  static Reg scale_by_power(const Reg& a, const Reg& n) {
    return each([&](std::int64_t i) {
      const std::int32_t bits = (static_cast<std::int32_t>(n.lane[i]) + 127) << 23;
      float power;
      __builtin_memcpy(&power, &bits, sizeof(power));
      return a.lane[i] * power;
    });
  }
  /// Lanes joined by halves, here and in max_lane().
  static float sum(Reg a) {
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::int64_t i = 0; i < half; ++i) a.lane[i] += a.lane[i + half];
    }
    return a.lane[0];
  }
  static float max_lane(Reg a) {
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::int64_t i = 0; i < half; ++i) {
        a.lane[i] = a.lane[i] > a.lane[i + half] ? a.lane[i] : a.lane[i + half];
      }
    }
    return a.lane[0];
  }
  static float sqrt(float a) { return std::sqrt(a); }
  static void prefetch(const char* p) { __builtin_prefetch(p); }

  /// The 16 × 16 matrix in `row` becomes its transpose.
  static void transpose(Reg (&row)[kLanes]) {
    for (std::int64_t i = 0; i < kLanes; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const float above = row[j].lane[i];
        row[j].lane[i] = row[i].lane[j];
        row[i].lane[j] = above;
      }
    }
  }
};

/// Codes are kept as wide as the sums.
struct Integers {
  struct Reg {
    std::int32_t lane[Vec::kLanes];
  };
  using Code = std::int32_t;
  using Weight = std::int8_t;
  static constexpr std::int64_t kGroup = 1;
  static constexpr std::int64_t kTileRows = Vec::kTileRows;

  template <class F>
  [[gnu::always_inline]] static Reg each(const F& f) {
    Reg x;
#pragma omp simd
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) x.lane[i] = f(i);
    return x;
  }

  static Reg zero() { return set(0); }
  static Reg set(std::int32_t x) {
    return each([=](std::int64_t) { return x; });
  }
  static Reg load(const std::int32_t* p) {
    return each([=](std::int64_t i) { return p[i]; });
  }
  static void store(std::int32_t* p, const Reg& x) { __builtin_memcpy(p, x.lane, sizeof(x)); }
  static Reg add(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] + b.lane[i]; });
  }
  static Reg sub(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] - b.lane[i]; });
  }
  static Reg mul(const Reg& a, const Reg& b) {
    return each([&](std::int64_t i) { return a.lane[i] * b.lane[i]; });
  }
  static Vec::Reg to_float(const Reg& a) {
    return Vec::each([&](std::int64_t i) { return static_cast<float>(a.lane[i]); });
  }

  /// 16 weights, as they stand in a panel, widened.
  static Reg load_weights(const Weight* p) {
    return each([=](std::int64_t i) { return static_cast<std::int32_t>(p[i]); });
  }
  static Reg broadcast(const Code* code) { return set(*code); }
  static Reg multiply_add(const Reg& codes, const Reg& weights, const Reg& sum) {
    return each([&](std::int64_t i) { return sum.lane[i] + codes.lane[i] * weights.lane[i]; });
  }

  /// To nearest even; what is less than −256, and NaN, becomes −256.
  static Reg round(const Vec::Reg& x) {
    return each([&](std::int64_t i) {
      // Rounded by the loss of the bits behind the point.
      constexpr float kWholeOnly = 12582912.0F;
      const float v = x.lane[i] > -256.0F ? x.lane[i] : -256.0F;
      return static_cast<std::int32_t>((v + kWholeOnly) - kWholeOnly);
    });
  }
  /// Cut to [0, 255].
  static void store_codes(Code* p, const Reg& code) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) {
      p[i] = code.lane[i] < 0 ? 0 : code.lane[i] > 255 ? 255 : code.lane[i];
    }
  }
  /// Codes with sign, as load_weights() finds them.
  static void store_group(Weight* p, const Reg (&code)[kGroup]) {
    for (std::int64_t i = 0; i < Vec::kLanes; ++i) p[i] = static_cast<Weight>(code[0].lane[i]);
  }
};

#include "engine/kernels/body.inc"

#include "engine/kernels/product_f32.inc"

#include "engine/kernels/product_int8.inc"

#include "engine/kernels/bf16_in_floats.inc"

#include "engine/kernels/product_bf16.inc"

#include "engine/kernels/row_lanes.inc"

#include "engine/kernels/layer_norm.inc"

#include "engine/kernels/attention.inc"

#include "engine/kernels/attention_int8.inc"

#include "engine/kernels/table.inc"

constexpr Products kF32 = products_of<F32>("portable");
constexpr Products kBf16 = products_of<Bf16>("portable");
constexpr Products kInt8 = with_int8_attention(products_of<Int8>("portable"));

}  // namespace

extern const Kernels portable_kernels;
const Kernels portable_kernels = table_of("portable", &kF32, &kBf16, &kInt8);

}  // namespace embd::kernels
