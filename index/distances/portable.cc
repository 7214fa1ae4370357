#include "base/half.h"
#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

#include "base/fused.inc"

/// Vector operations for every processor, with 16 lanes in an array. The other instruction sets
/// must do the same as these.
struct Isa {
  struct Floats {
    float lane[16];
  };
  struct Ints {
    std::int32_t lane[16];
  };
  static constexpr std::size_t kIntStep = 16;
  static constexpr std::size_t kGather = 2;
  static constexpr std::size_t kTileQueries = 1;
  static constexpr std::size_t kTileRows = 1;

  static Floats zero() { return {}; }
  static Floats fma(const Floats& a, const Floats& b, Floats sum) {
    for (int i = 0; i < 16; ++i) sum.lane[i] = fused(a.lane[i], b.lane[i], sum.lane[i]);
    return sum;
  }
  static Floats sub(Floats a, const Floats& b) {
    for (int i = 0; i < 16; ++i) a.lane[i] -= b.lane[i];
    return a;
  }
  static void add_lanes8(const Floats* sums, float* first, float* second) {
    add_lanes4(sums, first);
    add_lanes4(sums + 4, second);
  }
  static void add_lanes4(const Floats* sums, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = add_lanes(sums[i]);
  }
  static float add_lanes(Floats v) {
    for (int half = 8; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) v.lane[i] += v.lane[i + half];
    }
    return v.lane[0];
  }

  static Ints zero_ints() { return {}; }
  static Ints madd(const Ints& a, const Ints& b, Ints sum) {
    for (int i = 0; i < 16; ++i) sum.lane[i] += a.lane[i] * b.lane[i];
    return sum;
  }
  static Ints sub_ints(Ints a, const Ints& b) {
    for (int i = 0; i < 16; ++i) a.lane[i] -= b.lane[i];
    return a;
  }
  static std::int32_t add_lanes_ints(const Ints& v) {
    std::int32_t sum = 0;
    for (const std::int32_t lane : v.lane) sum += lane;
    return sum;
  }
  static void add_lanes_ints8(const Ints* sums, float* first, float* second) {
    add_lanes_ints4(sums, first);
    add_lanes_ints4(sums + 4, second);
  }
  static void add_lanes_ints4(const Ints* sums, float* out) {
    for (int i = 0; i < 4; ++i) out[i] = static_cast<float>(add_lanes_ints(sums[i]));
  }

  template <class T, float (*kValue)(T) noexcept>
  struct FloatElement {
    using Type = T;
    static Floats load(const T* row, std::size_t count = 16) {
      Floats v{};
      for (std::size_t i = 0; i < count; ++i) {
        T stored;  // Rows of mapped files may be unaligned.
        __builtin_memcpy(&stored, row + i, sizeof(T));
        v.lane[i] = kValue(stored);
      }
      return v;
    }
  };
  template <class T>
  struct IntElement {
    using Type = T;
    static Ints load(const T* row, std::size_t count = 16) {
      Ints v{};
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): no character, but a number with a sign.
      for (std::size_t i = 0; i < count; ++i) v.lane[i] = row[i];
      return v;
    }
  };

  static float same(float value) noexcept { return value; }
  static float from_bf16(std::uint16_t bits) noexcept { return float_from_bfloat16(bits); }
  using F32 = FloatElement<float, same>;
  using F16 = FloatElement<std::uint16_t, float_from_half>;
  using Bf16 = FloatElement<std::uint16_t, from_bf16>;
  using I8 = IntElement<std::int8_t>;
  using I16 = IntElement<std::int16_t>;
  using U8 = IntElement<std::uint8_t>;
};

#include "index/distances/body.inc"

}  // namespace

constinit const Kernels kPortableKernels = table_of("portable");

}  // namespace embd::distances
