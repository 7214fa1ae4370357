#pragma once

namespace embd::bench {

/// The rates that no kernel of one instruction set can exceed.
struct Limits {
  /// Independent multiply-adds on registers; each returns the multiplications and additions done.
  /// nullptr where the instruction set has none of that kind, or the roofline does not ask for it.
  double (*multiply_add)(long rounds) noexcept;
  double (*multiply_add_int8)(long rounds) noexcept;  ///< by the instruction our kernels use
  double (*multiply_add_bf16)(long rounds) noexcept;
  /// Of 7 bits by 8 bits, which our kernels do not use.
  double (*multiply_add_7_bits)(long rounds) noexcept;
  /// Loads of n floats, 64-byte aligned, in their order.
  float (*read)(const float* x, long n) noexcept;
};

}  // namespace embd::bench
