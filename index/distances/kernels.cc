#include "index/distances/kernels.h"

#include <cstdlib>
#include <string_view>

namespace embd::distances {
namespace {

constexpr const Kernels* kAll[] = {
#if defined(__x86_64__)
    &kAvx512Kernels,
    &kAvx2Kernels,
#endif
    &kReferenceKernels,
};

const Kernels& choose() noexcept {
  const char* name = std::getenv("EMBD_KERNELS");
  const Kernels* best = nullptr;
  for (const Kernels* candidate : kAll) {
    if (!candidate->supported()) continue;
    if (best == nullptr) best = candidate;
    if (name != nullptr && std::string_view(name) == candidate->name) return *candidate;
  }
  return *best;
}

}  // namespace

KernelList all_kernels() noexcept {
  return {std::begin(kAll), std::end(kAll)};
}

const Kernels& kernels() noexcept {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace embd::distances
