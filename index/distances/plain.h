#pragma once

#include <cstddef>

#include "embd/index.h"

namespace embd::distances {

/// Computes the distance of two stored rows of `dim` values in double precision, by the formulas of
/// docs/formats/usearch.md. The kernels are tested against it, and it computes rare metrics and
/// element types. `type` and `metric` must be a pair that Distance::create() accepts.
double plain_distance(Metric metric, ElementType type, const std::byte* a, const std::byte* b,
                      std::size_t dim) noexcept;

}  // namespace embd::distances
