#include <array>
#include <cstdlib>
#include <string_view>

#include "base/cpu.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Kernels portable_kernels;
extern const Kernels reference_kernels;

bool portable_supported() noexcept {
  return true;
}

#if defined(__x86_64__)
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;

// Here and not beside the tables: their files must hold no code that runs before this says yes.
bool avx2_supported() noexcept {
  return cpu_features().avx2;
}
bool avx512_supported() noexcept {
  return cpu_features().avx512;
}
bool avx512_vnni_supported() noexcept {
  return cpu_features().avx512_vnni;
}
bool avx512_bf16_supported() noexcept {
  return cpu_features().avx512_bf16;
}
#elif defined(__aarch64__)
extern const Kernels neon_kernels;

bool neon_supported() noexcept {
  return true;  // Part of every aarch64.
}
#endif

namespace {

/// Best first.
constexpr std::array kTables = {
#if defined(__x86_64__)
    &avx512_kernels,
    &avx2_kernels,
#elif defined(__aarch64__)
    &neon_kernels,
#endif
    &portable_kernels,
    &reference_kernels,
};

}  // namespace

KernelList available_kernels() noexcept {
  return {kTables.data(), kTables.data() + kTables.size()};
}

const Products* Kernels::products(Arithmetic arithmetic) const noexcept {
  const Products* found = arithmetic == Arithmetic::int8   ? int8
                          : arithmetic == Arithmetic::bf16 ? bf16
                                                           : f32;
  return found != nullptr && found->supported() ? found : nullptr;
}

const Kernels* choose_kernels(Arithmetic arithmetic) noexcept {
  const char* forced = std::getenv("EMBD_KERNELS");
  const std::string_view name = forced == nullptr ? "" : forced;
  for (const Kernels* table : kTables) {
    if (!name.empty() && name != table->name) continue;
    if (table->supported() && table->products(arithmetic) != nullptr) return table;
  }
  return nullptr;
}

}  // namespace embd::kernels
