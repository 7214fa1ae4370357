#pragma once

// Finds out what relaxed SIMD does here. The standard leaves it to the engine, which does the same
// as long as it runs: so a few questions at the start are enough.
namespace embd::os {

/// Whether f32x4.relaxed_madd rounds once.
bool relaxed_madd_is_fused() noexcept;

/// Whether i32x4.relaxed_dot_i8x16_i7x16_add_s is exact for weights from −127 to 127 and codes from
/// 0 to 255 that are given to it as bytes of code + `shift`: 0 where it takes bytes without sign,
/// −128 for bytes with sign. It may saturate in between instead.
bool relaxed_dot_is_exact(int shift) noexcept;

}  // namespace embd::os
