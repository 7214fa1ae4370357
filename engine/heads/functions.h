#pragma once

namespace embd {

// The functions of a classifier, in double and by additions, multiplications and divisions alone:
// those of a system's library may differ from processor to processor in the last bit. Each is
// within 1e-14 of the exact value, relatively. Of NaN they make NaN. docs/arithmetic.md defines
// them.

/// e to the power of x; at most e^700, at least e^-700.
double exp_of(double x) noexcept;
/// The hyperbolic tangent, from -1 to 1.
double tanh_of(double x) noexcept;
/// 1 / (1 + e^-x), from 0 to 1.
double sigmoid_of(double x) noexcept;

}  // namespace embd
