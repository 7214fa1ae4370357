#pragma once

#include <cstddef>

/// The peak rates of this processor, in the widest vectors it has.
namespace embd::limits {

/// Keeps both multiply-add units busy for a while; returns how many scalar multiply-adds that were.
double multiply_add() noexcept;
/// Reads `count` floats in order; returns how many bytes that were.
double read(const float* values, std::size_t count) noexcept;

}  // namespace embd::limits
