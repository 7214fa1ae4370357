#pragma once

namespace embd {

// Functions of mathematics, in double precision. They use additions, multiplications
// and divisions only, because the functions of a system's library may differ between processors in
// the last bit. They return NaN for NaN. docs/arithmetic.md defines them.

/// Returns e to the power of x, at most e^700 and at least e^-700, with a relative error below
/// 1e-14.
double exp_of(double x) noexcept;
/// Returns the natural logarithm of a positive finite number, with an absolute error below 1e-14.
double log_of(double x) noexcept;
/// The sine and the cosine of an angle.
struct SineAndCosine {
  double sine;
  double cosine;
};
/// Returns those of an angle from 0 to 2^20, with an error below 1e-15.
SineAndCosine sine_and_cosine(double angle) noexcept;
/// Returns the hyperbolic tangent, from -1 to 1, with a relative error below 1e-12.
double tanh_of(double x) noexcept;
/// Returns 1 / (1 + e^-x), from 0 to 1, with a relative error below 1e-14.
double sigmoid_of(double x) noexcept;
/// Returns x, or 0 if x is negative.
double relu_of(double x) noexcept;
/// Returns x · sigmoid_of(x).
double silu_of(double x) noexcept;
/// Returns x · (1 + erf(x / √2)) / 2, with an absolute error below 2e-15 · |x|.
double gelu_of(double x) noexcept;

}  // namespace embd
