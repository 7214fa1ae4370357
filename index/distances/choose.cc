#include <algorithm>
#include <string_view>

#include "base/kernel_profile.h"
#include "base/os/cpu.h"
#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

constexpr const Kernels* kAll[] = {
#if defined(__x86_64__)
    &kAvx512VnniKernels,
    &kAvx512Kernels,
    &kAvx2Kernels,
#endif
    &kPortableKernels,
};

/// Returns the profile whose distance kernels are used for a profile. There are no distance kernels
/// for tiles (AMX), and for VNNI only those with 512 bits.
KernelProfile profile_of_distances(KernelProfile profile) noexcept {
  switch (profile) {
    case KernelProfile::avx512_amx:
      return KernelProfile::avx512;
    case KernelProfile::avx2_vnni:
      return KernelProfile::avx2;
    default:
      return profile;
  }
}

const Kernels& choose() noexcept {
  const Result<KernelProfile> profile = choose_kernel_profile();
  const KernelProfile chosen = profile ? *profile : usable_kernel_profiles().front();
  const std::string_view name = name_of(profile_of_distances(chosen));
  const auto* const named = std::ranges::find_if(
      kAll, [&](const Kernels* table) { return table->name == name && table->supported(); });
  return named != std::end(kAll) ? **named : kPortableKernels;
}

}  // namespace

KernelList all_kernels() noexcept {
  return {std::begin(kAll), std::end(kAll)};
}

bool Kernels::supported() const noexcept {
#if defined(__x86_64__)
  if (this == &kAvx512VnniKernels && !cpu_features().avx512_vnni) return false;
#endif
  return is_usable_kernel_profile(name);
}

const Kernels& kernels() noexcept {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace embd::distances
