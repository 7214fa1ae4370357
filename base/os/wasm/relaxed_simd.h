#pragma once

// Tests what the instructions of relaxed SIMD compute. The standard lets the engine choose between
// several results, but an engine chooses the same as long as it runs. So a few tests at the start
// are enough.
namespace embd::os {

/// Returns true if f32x4.relaxed_madd rounds its result only once.
bool relaxed_madd_is_fused() noexcept;

/// Returns true if i32x4.relaxed_dot_i8x16_i7x16_add_s is exact for weights from −127 to 127 and
/// codes from 0 to 255. The instruction is given bytes of code + `shift`, where `shift` is 0 if it
/// takes unsigned bytes and −128 if it takes signed bytes. An engine may also let sums saturate,
/// which is not exact.
bool relaxed_dot_is_exact(int shift) noexcept;

}  // namespace embd::os
