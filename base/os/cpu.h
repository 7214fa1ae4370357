#pragma once

namespace embd {

/// The instruction sets that a program can use on this processor and operating system.
struct CpuFeatures {
  bool pclmul = false;
  bool avx2 = false;      ///< with FMA and F16C
  bool avx_vnni = false;  ///< AVX-VNNI, in the encoding of AVX2
  bool avx512 = false;    ///< F, BW, DQ, VL
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  /// True if the instruction vdpbf16ps takes twice as long as the float32 multiply-adds that it
  /// replaces, as on Intel's processors.
  bool slow_avx512_bf16 = false;
  /// AMX tiles for int8 and bf16, besides AVX-512 with VNNI and BF16. The system has granted their
  /// use.
  bool amx = false;
  /// The processor has AVX-VNNI or AMX, but its products differ from their definition
  /// (base/tile_products.h). avx_vnni or amx is then false.
  bool wrong_avx_vnni = false;
  bool wrong_amx = false;
  bool neon_dot = false;   ///< SDOT and UDOT
  bool neon_i8mm = false;  ///< USDOT and USMMLA
  /// Relaxed SIMD of WebAssembly, if the module uses it. wasm_fused: a multiply-add rounds once.
  /// wasm_dot_unsigned and wasm_dot_signed: the dot product of signed weights with bytes from 0 to
  /// 255, or from −128 to 127, is exact.
  bool wasm_fused = false;
  bool wasm_dot_unsigned = false;
  bool wasm_dot_signed = false;
};

/// Returns the features of this processor, which are read only once. Thread-safe.
const CpuFeatures& cpu_features() noexcept;

/// Returns the number of threads that this process may keep busy, at least 1: the processors in its
/// affinity mask, limited by the CPU quota of the cgroup (rounded up) and by OMP_NUM_THREADS.
int available_threads() noexcept;

}  // namespace embd
