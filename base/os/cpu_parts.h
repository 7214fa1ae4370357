#pragma once

#include "base/os/cpu.h"

// Functions that the systems' sources of cpu.h have in common.
namespace embd::os {

/// Returns the instruction sets of an x86 processor whose registers this system keeps.
/// `request_tiles` asks the system for the use of AMX tiles, and returns false if it refuses; it is
/// called only on a processor that has them.
CpuFeatures x86_features(bool (*request_tiles)() noexcept) noexcept;

/// Returns the first number of OMP_NUM_THREADS; infinity if it has none.
double openmp_threads() noexcept;

}  // namespace embd::os
