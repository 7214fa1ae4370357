#include "engine/kernels/choose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "base/kernel_profile.h"
#include "base/os/cpu.h"

namespace embd::kernels {

extern const Kernels portable_kernels;
extern const Kernels amx_model_kernels;
extern const Kernels reference_kernels;
extern const Kernels wasm_simd128_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels;
extern const Kernels avx2_vnni_kernels;
extern const Kernels avx512_amx_kernels;
extern const Kernels avx512_kernels;
extern const Products avx512_bf16_products;
extern const Products avx512_vnni_products;
extern const Products avx2_vnni_products;
extern const Products avx2_vnni_evex_products;
#elif defined(__aarch64__)
extern const Kernels neon_kernels;
extern const Kernels neon_dot_kernels;
extern const Kernels neon_i8mm_kernels;
#elif defined(EMBD_WASM_RELAXED)
extern const Kernels wasm_relaxed_kernels;
extern const Products wasm_dot_unsigned_products;
extern const Products wasm_dot_signed_products;
#endif

namespace {

/// The tables, best first.
constexpr std::array kTables = {
#if defined(__x86_64__)
    &avx512_amx_kernels,   &avx512_kernels, &avx2_vnni_kernels, &avx2_kernels,
#elif defined(__aarch64__)
    &neon_i8mm_kernels, &neon_dot_kernels,     &neon_kernels,
#endif
#if defined(__wasm__)
#if defined(EMBD_WASM_RELAXED)
    &wasm_relaxed_kernels,
#endif
    &wasm_simd128_kernels,
#else
    &portable_kernels,
#if defined(EMBD_AMX_MODEL)
    &amx_model_kernels, &wasm_simd128_kernels,
#endif
    &reference_kernels,
#endif
};

}  // namespace

KernelList available_kernels() noexcept {
  return {kTables.data(), kTables.data() + kTables.size()};
}

bool Kernels::supported() const noexcept {
  return is_usable_kernel_profile(name);
}

bool is_supported([[maybe_unused]] const Products& products) noexcept {
#if defined(__x86_64__)
  if (&products == &avx512_bf16_products) return cpu_features().avx512_bf16;
  if (&products == &avx512_vnni_products) return cpu_features().avx512_vnni;
  if (&products == &avx2_vnni_products) return cpu_features().avx_vnni;
  if (&products == &avx2_vnni_evex_products) return cpu_features().avx512_vnni;
#elif defined(EMBD_WASM_RELAXED)
  if (&products == &wasm_dot_unsigned_products) return cpu_features().wasm_dot_unsigned;
  if (&products == &wasm_dot_signed_products) return cpu_features().wasm_dot_signed;
#endif
  return true;
}

bool is_preferred([[maybe_unused]] const Products& products) noexcept {
#if defined(__x86_64__)
  if (&products == &avx512_bf16_products && cpu_features().slow_avx512_bf16) return false;
#endif
  return is_supported(products);
}

const Products* Kernels::products(Arithmetic arithmetic) const noexcept {
  const auto first_supported = [](std::span<const Products* const> best_first) {
    const auto found = std::ranges::find_if(
        best_first, [](const Products* p) { return p != nullptr && is_preferred(*p); });
    return found == best_first.end() ? nullptr : *found;
  };
  switch (arithmetic) {
    case Arithmetic::bf16:
      return first_supported(bf16);
    case Arithmetic::int8:
      return first_supported(int8);
    case Arithmetic::f32:
      break;
  }
  return first_supported(f32);
}

const Attention& Kernels::attention_with(const Products& products,
                                         std::int64_t tokens) const noexcept {
  const Attention& own = products.attention;
  return own.compute == nullptr || tokens < own.least_tokens ? attention : own;
}

Result<const Kernels*> choose_kernels(Arithmetic arithmetic) {
  const std::string_view name = name_of(EMBD_TRY(choose_kernel_profile()));
  const Kernels* table =
      *std::ranges::find(kTables, name, [](const Kernels* k) { return k->name; });
  if (table->products(arithmetic) != nullptr) return table;
  return fail(ErrorCode::invalid_argument,
              "the environment variable EMBD_KERNELS is {}, but these kernels cannot "
              "compute in bf16: choose other kernels or another arithmetic",
              name);
}

}  // namespace embd::kernels
