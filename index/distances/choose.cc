#include <algorithm>
#include <string_view>

#include "base/kernel_profile.h"
#include "index/distances/kernels.h"

namespace embd::distances {
namespace {

constexpr const Kernels* kAll[] = {
#if defined(__x86_64__)
    &kAvx512Kernels,
    &kAvx2Kernels,
#endif
    &kPortableKernels,
};

const Kernels& choose() noexcept {
  const Result<KernelProfile> profile = choose_kernel_profile();
  const KernelProfile chosen = profile ? *profile : usable_kernel_profiles().front();
  // VNNI is for the model's products alone.
  const std::string_view name =
      name_of(chosen == KernelProfile::avx2_vnni ? KernelProfile::avx2 : chosen);
  const auto* const named =
      std::ranges::find(kAll, name, [](const Kernels* table) { return table->name; });
  return named != std::end(kAll) ? **named : kPortableKernels;
}

}  // namespace

KernelList all_kernels() noexcept {
  return {std::begin(kAll), std::end(kAll)};
}

bool Kernels::supported() const noexcept {
  return is_usable_kernel_profile(name);
}

const Kernels& kernels() noexcept {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace embd::distances
