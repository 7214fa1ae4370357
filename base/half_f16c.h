#pragma once

#include <cstddef>
#include <cstdint>

namespace embd::f16c {

/// The bulk conversions of half.h with the processor's own instructions, for the largest multiple
/// of 8 in `count`; what is left is the caller's. Needs CpuFeatures::avx2.
void halves_from_floats(const float* from, std::uint16_t* to, std::size_t count) noexcept;
void floats_from_halves(const std::uint16_t* from, float* to, std::size_t count) noexcept;

}  // namespace embd::f16c
