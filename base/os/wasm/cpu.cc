#include "base/os/cpu.h"

#if defined(EMBD_WASM_RELAXED)
#include "base/os/wasm/relaxed_simd.h"
#endif

namespace embd {

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
