#pragma once

#include "base/try.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

/// The table of choose_kernel_profile(), which has products in this arithmetic. Errors:
/// invalid_argument where EMBD_KERNELS names none that runs here, or the reference, which has no
/// bf16.
Result<const Kernels*> choose_kernels(Arithmetic arithmetic = Arithmetic::f32);

}  // namespace embd::kernels
