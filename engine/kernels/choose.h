#pragma once

#include "base/try.h"
#include "engine/kernels/kernels.h"

namespace embd::kernels {

/// Returns the kernels that choose_kernel_profile() chooses. Fails with invalid_argument if the
/// environment variable EMBD_KERNELS names kernels that are unknown, that this processor cannot
/// run, or that have no products in this arithmetic.
Result<const Kernels*> choose_kernels(Arithmetic arithmetic = Arithmetic::f32);

}  // namespace embd::kernels
