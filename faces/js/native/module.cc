#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/aligned_buffer.h"
#include "base/kernel_profile.h"
#include "base/os/cpu.h"
#include "base/os/wasm/memory_files.h"
#include "embd/version.h"
#include "faces/js/native/answer.h"

namespace embd::js {

EMBD_EXPORT(std::int32_t, embd_about)() {
  return answer_with([](Answer& answer) -> Result<std::int32_t> {
    const KernelProfile profile = EMBD_TRY(choose_kernel_profile());
    nlohmann::json facts = {
        {"version", version()}, {"module", EMBD_WASM_MODULE}, {"kernels", name_of(profile)}};
#if defined(EMBD_WASM_RELAXED)
    const CpuFeatures& cpu = cpu_features();
    facts["probe"] = {{"fused", cpu.wasm_fused},
                      {"dot", cpu.wasm_dot_unsigned ? "unsigned"
                              : cpu.wasm_dot_signed ? "signed"
                                                    : "inexact"}};
#endif
    answer.say(facts);
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_add_file)(const char* name, std::uint32_t name_size, void* data,
                                         std::uint32_t size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    EMBD_TRY(os::add_memory_file({name, name_size}, static_cast<std::byte*>(data), size));
    return 0;
  });
}

EMBD_EXPORT(std::int32_t, embd_remove_file)(const char* name, std::uint32_t name_size) {
  return answer_with([&](Answer&) -> Result<std::int32_t> {
    EMBD_TRY(os::remove_memory_file({name, name_size}));
    return 0;
  });
}

EMBD_EXPORT(void*, embd_allocate)(std::uint32_t size) {
  try {
    return allocate_aligned(size == 0 ? 1 : size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

EMBD_EXPORT(void, embd_release)(void* memory) {
  free_aligned(memory);
}

}  // namespace embd::js
