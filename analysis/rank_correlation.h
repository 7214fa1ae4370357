#pragma once

#include <span>

namespace embd {

/// Returns Spearman's rank correlation of two lists of the same length: Pearson's correlation of
/// their ranks, where equal values share the mean of their ranks. NaN for fewer than two values,
/// and if all values of a list are equal.
double rank_correlation(std::span<const float> a, std::span<const float> b);

}  // namespace embd
