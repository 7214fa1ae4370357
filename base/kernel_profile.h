#pragma once

#include <span>
#include <string_view>

#include "base/try.h"

namespace embd {

/// Which functions compute: a table for one instruction set, or one that every processor runs. All
/// but `reference` give the same bytes (docs/arithmetic.md).
enum class KernelProfile : unsigned char {
  avx512_amx,    ///< x86-64 with AVX-512 and the tiles of AMX for int8 and bf16
  avx512,        ///< x86-64 with AVX-512 F, BW, DQ and VL; VNNI and BF16 are used where they exist
  avx2_vnni,     ///< x86-64 with AVX2, FMA, F16C and VNNI of 256 bits, in either encoding
  avx2,          ///< x86-64 with AVX2, FMA and F16C
  neon_i8mm,     ///< aarch64 with I8MM: matrix products of bytes, u8 by s8
  neon_dot,      ///< aarch64 with the dot product of bytes
  neon,          ///< aarch64
  wasm_relaxed,  ///< WebAssembly with relaxed SIMD, where that fuses its multiply-adds
  wasm_simd128,  ///< WebAssembly's SIMD; elsewhere the same in ordinary instructions: for tests
  portable,      ///< plain C++
  amx_model,     ///< avx512_amx over a model of its instructions in plain C++: for tests
  reference,     ///< sums in double, by Eigen: for measuring how exact the others are
};

/// As EMBD_KERNELS, recipes, lock files and reports spell it.
std::string_view name_of(KernelProfile profile) noexcept;

/// The profiles that this build has and this processor runs, best first.
std::span<const KernelProfile> usable_kernel_profiles() noexcept;
bool is_usable_kernel_profile(std::string_view name) noexcept;

/// The best one, or the one that the environment variable EMBD_KERNELS names. Error:
/// invalid_argument if that name is unknown or its instructions are missing here.
Result<KernelProfile> choose_kernel_profile();

}  // namespace embd
