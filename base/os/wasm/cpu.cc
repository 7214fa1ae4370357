#include "base/os/cpu.h"

namespace embd {

// relaxed_simd.cc tests what the instructions of relaxed SIMD compute. The standard lets the engine
// choose between several results, but an engine chooses the same as long as it runs. So a few tests
// at the start are enough.
namespace os {

/// Returns true if f32x4.relaxed_madd rounds its result only once.
bool relaxed_madd_is_fused() noexcept;

/// Returns true if i32x4.relaxed_dot_i8x16_i7x16_add_s is exact for weights from −127 to 127 and
/// codes from 0 to 255. The instruction is given bytes of code + `shift`, where `shift` is 0 if it
/// takes unsigned bytes and −128 if it takes signed bytes. An engine may also let sums saturate,
/// which is not exact.
bool relaxed_dot_is_exact(int shift) noexcept;

}  // namespace os

const CpuFeatures& cpu_features() noexcept {
#if defined(EMBD_WASM_RELAXED)
  static const CpuFeatures features = {.wasm_fused = os::relaxed_madd_is_fused(),
                                       .wasm_dot_unsigned = os::relaxed_dot_is_exact(0),
                                       .wasm_dot_signed = os::relaxed_dot_is_exact(-128)};
#else
  static const CpuFeatures features;
#endif
  return features;
}

int available_threads() noexcept {
  return 1;
}

}  // namespace embd
