#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/os/cpu.h"
#include "base/try.h"

namespace embd {

/// A set of kernels: functions for one instruction set, or for every processor. All of them give
/// the same bytes, except `reference` (docs/arithmetic.md).
enum class KernelProfile : unsigned char {
  avx512_amx,  ///< x86-64 with AVX-512, and with AMX tiles for int8 and bf16
  avx512,      ///< x86-64 with AVX-512 F, BW, DQ and VL; VNNI and BF16 are used where they exist
  /// x86-64 with AVX2, FMA, F16C and VNNI of 256 bits, in either encoding.
  avx2_vnni,
  avx2,          ///< x86-64 with AVX2, FMA and F16C
  neon_i8mm,     ///< aarch64 with I8MM: matrix products of 8-bit integers, unsigned by signed
  neon_dot,      ///< aarch64 with dot products of 8-bit integers
  neon,          ///< aarch64
  wasm_relaxed,  ///< WebAssembly with relaxed SIMD, if the engine fuses its multiply-adds
  /// WebAssembly with SIMD. For tests, other processors run the same code in ordinary instructions.
  wasm_simd128,
  portable,   ///< every processor, in plain C++
  amx_model,  ///< for tests: the code of avx512_amx, with AMX instructions modelled in plain C++
  /// Sums in double precision, by Eigen: for measuring how exact the other sets are.
  reference,
};

/// Returns the name of a set of kernels as EMBD_KERNELS, recipes, lock files and reports spell it.
std::string_view name_of(KernelProfile profile) noexcept;

/// Returns the sets of kernels that this build has and this processor can run, best first.
std::span<const KernelProfile> usable_kernel_profiles() noexcept;
bool is_usable_kernel_profile(std::string_view name) noexcept;

/// Returns the sets of kernels that this processor could run if its instructions computed what they
/// are defined to compute. A process tests the instructions that embd's tests seldom meet.
std::vector<KernelProfile> wrong_kernel_profiles(const CpuFeatures& features = cpu_features());

/// Returns the best set of kernels, or the one that the environment variable EMBD_KERNELS names.
/// Fails with invalid_argument if the name is unknown or the processor lacks its instructions.
Result<KernelProfile> choose_kernel_profile();

}  // namespace embd
