#include <wasm_simd128.h>

#include <cstdint>

namespace embd::os {
namespace {

/// Returns x, of which the compiler then knows nothing. Otherwise it would compute the result
/// itself.
v128_t unknown(v128_t x) noexcept {
  __asm__("" : "+r"(x));
  return x;
}

/// Returns true if the instruction computes the exact dot product of four weights and four codes in
/// every lane.
bool dot_is_exact(const int (&weights)[4], const int (&codes)[4], int shift) noexcept {
  constexpr int start = 12345;
  int expected = start;
  std::uint32_t weight_bytes = 0;
  std::uint32_t code_bytes = 0;
  for (int i = 0; i < 4; ++i) {
    expected += weights[i] * (codes[i] + shift);
    weight_bytes |= (static_cast<std::uint32_t>(weights[i]) & 255U) << (8 * i);
    code_bytes |= (static_cast<std::uint32_t>(codes[i] + shift) & 255U) << (8 * i);
  }
  const v128_t got = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(unknown(wasm_u32x4_splat(weight_bytes)),
                                                            unknown(wasm_u32x4_splat(code_bytes)),
                                                            unknown(wasm_i32x4_splat(start)));
  return wasm_i32x4_all_true(wasm_i32x4_eq(got, wasm_i32x4_splat(expected)));
}

}  // namespace

bool relaxed_madd_is_fused() noexcept {
  // (1 + 2^-12)² − 1 = 2^-11 + 2^-24. If the product is rounded first, 2^-24 is lost.
  const v128_t a = unknown(wasm_f32x4_splat(1 + 0x1p-12F));
  const v128_t sum = wasm_f32x4_relaxed_madd(a, a, unknown(wasm_f32x4_splat(-1)));
  const v128_t negative = wasm_f32x4_relaxed_nmadd(a, a, unknown(wasm_f32x4_splat(1)));
  constexpr float once = 0x1p-11F + 0x1p-24F;
  return wasm_i32x4_all_true(wasm_f32x4_eq(sum, wasm_f32x4_splat(once))) &&
         wasm_i32x4_all_true(wasm_f32x4_eq(negative, wasm_f32x4_splat(-once)));
}

bool relaxed_dot_is_exact(int shift) noexcept {
  constexpr int weights[][4] = {{127, 127, 127, 127},   {-127, -127, -127, -127},
                                {127, 127, -127, -127}, {127, -127, 127, -127},
                                {1, 2, 3, 4},           {-128, -128, -128, -128}};
  constexpr int codes[][4] = {{255, 255, 255, 255},
                              {0, 0, 0, 0},
                              {128, 127, 129, 126},
                              {255, 0, 255, 0},
                              {200, 255, 3, 100}};
  for (const auto& w : weights)
    for (const auto& c : codes)
      if (!dot_is_exact(w, c, shift)) return false;
  return true;
}

}  // namespace embd::os
