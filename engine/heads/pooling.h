#pragma once

#include <cstdint>
#include <span>

#include "embd/recipe.h"

namespace embd {

/// A text's vector from the last layer's rows of its tokens, `rows` [seq_len, hidden]. Writes the
/// leading out.size() components, at most hidden; normalises these to length 1 if asked (a vector
/// shorter than 1e-12 is divided by 1e-12). Sums in double, in the order of the tokens, so a text
/// has the same bytes everywhere.
void pool(const float* rows, std::int64_t seq_len, std::int64_t hidden, Pooling pooling,
          bool normalize, std::span<float> out) noexcept;
/// The normalising of pool() alone.
void normalise(std::span<float> values) noexcept;

}  // namespace embd
