#include "base/kernel_profile.h"
#include "base/os/cpu.h"
#include "embd/version.h"
#include "faces/js/native/answer.h"
#include "faces/js/native/export.h"

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

}  // namespace embd::js
