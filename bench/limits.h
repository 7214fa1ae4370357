#pragma once

namespace embd::bench {

/// What no kernel of one instruction set can exceed.
struct Limits {
  /// Independent multiply-adds on registers; returns the floating-point operations done.
  double (*multiply_add)(long rounds) noexcept;
  /// Loads of n floats, 64-byte aligned, in their order.
  float (*read)(const float* x, long n) noexcept;
};

}  // namespace embd::bench
