#include "base/kernel_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace embd {
namespace {

struct Usable {
  std::array<KernelProfile, 8> profiles;
  std::size_t count = 0;

  Usable() noexcept {
#if defined(__x86_64__)
    if (cpu_features().amx) add(KernelProfile::avx512_amx);
    if (cpu_features().avx512) add(KernelProfile::avx512);
    if (cpu_features().avx_vnni || cpu_features().avx512_vnni) add(KernelProfile::avx2_vnni);
    if (cpu_features().avx2) add(KernelProfile::avx2);
#elif defined(__aarch64__)
    if (cpu_features().neon_i8mm) add(KernelProfile::neon_i8mm);
    if (cpu_features().neon_dot) add(KernelProfile::neon_dot);
    add(KernelProfile::neon);
#elif defined(__wasm__)
    if (cpu_features().wasm_fused) add(KernelProfile::wasm_relaxed);
    add(KernelProfile::wasm_simd128);
#endif
#if !defined(__wasm__)  // Its modules have nothing that every processor runs faster.
    add(KernelProfile::portable);
#if defined(EMBD_AMX_MODEL)
    add(KernelProfile::amx_model);
    add(KernelProfile::wasm_simd128);
#endif
    add(KernelProfile::reference);
#endif
  }
  void add(KernelProfile profile) noexcept { profiles[count++] = profile; }
};

}  // namespace

std::string_view name_of(KernelProfile profile) noexcept {
  switch (profile) {
    case KernelProfile::avx512_amx:
      return "avx512_amx";
    case KernelProfile::avx512:
      return "avx512";
    case KernelProfile::avx2_vnni:
      return "avx2_vnni";
    case KernelProfile::avx2:
      return "avx2";
    case KernelProfile::neon_i8mm:
      return "neon_i8mm";
    case KernelProfile::neon_dot:
      return "neon_dot";
    case KernelProfile::neon:
      return "neon";
    case KernelProfile::wasm_relaxed:
      return "wasm_relaxed";
    case KernelProfile::wasm_simd128:
      return "wasm_simd128";
    case KernelProfile::portable:
      return "portable";
    case KernelProfile::amx_model:
      return "amx_model";
    case KernelProfile::reference:
      break;
  }
  return "reference";
}

std::span<const KernelProfile> usable_kernel_profiles() noexcept {
  static const Usable usable;
  return std::span(usable.profiles).first(usable.count);
}

bool is_usable_kernel_profile(std::string_view name) noexcept {
  return std::ranges::any_of(usable_kernel_profiles(),
                             [name](KernelProfile profile) { return name_of(profile) == name; });
}

std::vector<KernelProfile> wrong_kernel_profiles(const CpuFeatures& features) {
  std::vector<KernelProfile> wrong;
  if (features.wrong_amx) wrong.push_back(KernelProfile::avx512_amx);
  if (features.wrong_avx_vnni && !features.avx512_vnni) wrong.push_back(KernelProfile::avx2_vnni);
  return wrong;
}

Result<KernelProfile> choose_kernel_profile() {
  const std::span usable = usable_kernel_profiles();
  const char* variable = std::getenv("EMBD_KERNELS");
  const std::string_view name = variable == nullptr ? "" : variable;
  if (name.empty()) return usable.front();
  const auto named = std::ranges::find(usable, name, name_of);
  if (named != usable.end()) return *named;
  std::vector<std::string_view> names;
  for (const KernelProfile profile : usable) names.push_back(name_of(profile));
  return fail(ErrorCode::invalid_argument,
              "the environment variable EMBD_KERNELS is {}, which names no kernels "
              "that this processor can run; there are: {}",
              name, fmt::join(names, ", "));
}

}  // namespace embd
