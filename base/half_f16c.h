#pragma once

#include <cstddef>
#include <cstdint>

namespace embd::f16c {

/// Convert arrays as the functions of half.h do, with the processor's own instructions. They only
/// convert the largest multiple of 8 in `count`; the caller converts the rest. They need
/// CpuFeatures::avx2.
void halves_from_floats(const float* from, std::uint16_t* to, std::size_t count) noexcept;
void floats_from_halves(const std::uint16_t* from, float* to, std::size_t count) noexcept;

}  // namespace embd::f16c
