#include "engine/encoder/distance_bias.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/try.h"
#include "formats/weights/model_tensors.h"

namespace embd {
namespace {

constexpr std::uint32_t half_of_buckets = 16;

/// The least distance of each bucket from the eighth on; below 8 each distance has its own. The
/// boundaries are 8 · 2^(i / 2), which grow by a factor of 16 from 8 to 128.
constexpr std::array<std::int64_t, 8> boundaries = {8, 12, 16, 23, 32, 46, 64, 91};

}  // namespace

std::uint32_t bucket_of(std::int64_t distance) noexcept {
  const std::int64_t n = std::abs(distance);
  const auto passed = std::ranges::upper_bound(boundaries, n) - boundaries.begin();
  const std::int64_t bucket = n < boundaries.front() ? n : boundaries.front() - 1 + passed;
  return static_cast<std::uint32_t>(bucket) + (distance > 0 ? half_of_buckets : 0);
}

Result<DistanceBiasTable> DistanceBiasTable::load(const WeightFile& file) {
  DistanceBiasTable table;
  const ModelSpec& spec = file.spec();
  if (spec.architecture.relative_bias == RelativeBias::none) return table;
  const WeightMatrix stored = EMBD_TRY(file.matrix(weight_name(Module::relative_bias)));
  std::vector<float> by_bucket(std::size_t{stored.rows()} * stored.cols());
  EMBD_TRY(stored.to_floats(by_bucket));
  table.reach_ = spec.max_tokens();
  table.stride_ = 2 * table.reach_ + 16;
  table.values_.resize(static_cast<std::size_t>(spec.num_heads * table.stride_));
  for (std::uint32_t head = 0; head < spec.num_heads; ++head) {
    float* const row = table.values_.data() + head * table.stride_;
    for (std::int64_t i = 0; i <= 2 * table.reach_; ++i) {
      const double bias = by_bucket[bucket_of(i - table.reach_) * spec.num_heads + head];
      row[i] = static_cast<float>(bias * std::numbers::log2e);
    }
  }
  return table;
}

}  // namespace embd
