#pragma once

#include <cstdint>
#include <vector>

#include "engine/kernels/kernels.h"
#include "formats/weights/embd/embd_reader.h"

namespace embd {

/// Returns the bucket of a distance, key − query, in models of the families T5 and MPNet: 0 to 15
/// for keys up to the query, 16 to 31 for keys behind it.
std::uint32_t bucket_of(std::int64_t distance) noexcept;

/// The numbers that a model adds to the scores of attention because of the distance between a key
/// and a query, for all distances that its texts can have. They are the same in all layers.
/// Immutable.
class DistanceBiasTable {
 public:
  /// Makes the numbers, or none if the model has no such bias. Fails with the errors of reading the
  /// table of buckets.
  static Result<DistanceBiasTable> load(const WeightFile& file);

  kernels::DistanceBias view() const noexcept {
    if (values_.empty()) return {};
    return {values_.data(), stride_, reach_};
  }

 private:
  std::vector<float> values_;  // [num_heads, stride], in powers of two
  std::int64_t stride_ = 0;
  std::int64_t reach_ = 0;
};

}  // namespace embd
