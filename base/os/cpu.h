#pragma once

namespace embd {

/// The instruction sets that this processor and its operating system let a program use.
struct CpuFeatures {
  bool pclmul = false;
  bool avx2 = false;      ///< with FMA and F16C
  bool avx_vnni = false;  ///< in the encoding of AVX2
  bool avx512 = false;    ///< F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  /// vdpbf16ps takes twice as long as the multiply-adds of float32 that it replaces, as on the
  /// processors of Intel.
  bool slow_avx512_bf16 = false;
  /// Tiles of int8 and bf16, beside AVX-512 with VNNI and BF16. The system has been asked for them.
  bool amx = false;
  bool neon_dot = false;   ///< SDOT and UDOT
  bool neon_i8mm = false;  ///< USDOT and USMMLA
  /// Relaxed SIMD of WebAssembly, in a module that has it: multiply-adds round once, and the dot
  /// product of bytes is exact for weights with sign and codes of 0 to 255, or of −128 to 127.
  bool wasm_fused = false;
  bool wasm_dot_unsigned = false;
  bool wasm_dot_signed = false;
};

/// Read once; thread-safe.
const CpuFeatures& cpu_features() noexcept;

/// Threads this process may keep busy: processors in its affinity mask, at most the cgroup's CPU
/// quota rounded up, at most OMP_NUM_THREADS. At least 1.
int available_threads() noexcept;

}  // namespace embd
