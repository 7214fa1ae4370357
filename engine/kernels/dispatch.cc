#include <array>
#include <cstdlib>
#include <string_view>

#include "engine/kernels/kernels.h"

namespace embd::kernels {

extern const Kernels reference_kernels;

namespace {

/// Best first.
constexpr std::array kTables = {
    &reference_kernels,
};

}  // namespace

KernelList available_kernels() noexcept {
  return {kTables.data(), kTables.data() + kTables.size()};
}

const Kernels* choose_kernels() noexcept {
  const char* forced = std::getenv("EMBD_KERNELS");
  const std::string_view name = forced == nullptr ? "" : forced;
  for (const Kernels* table : kTables) {
    if ((name.empty() || name == table->name) && table->supported()) return table;
  }
  return nullptr;
}

}  // namespace embd::kernels
