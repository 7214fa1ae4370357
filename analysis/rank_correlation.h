#pragma once

#include <span>

namespace embd {

/// Spearman's correlation of two lists of one length: Pearson's of their ranks, equal values having
/// the mean of theirs. NaN for lists of fewer than two values and where all values of one are
/// equal.
double rank_correlation(std::span<const float> a, std::span<const float> b);

}  // namespace embd
