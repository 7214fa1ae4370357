#include "engine/encoder/places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/try.h"
#include "engine/functions.h"
#include "formats/weights/model_tensors.h"

namespace embd {
namespace {

/// Returns the frequencies of one head, rounded as in transformers: the powers and the quotients
/// are float32.
std::vector<float> frequencies(std::int64_t half, double theta, double ntk_factor) {
  const double log_theta = log_of(theta * ntk_factor);
  const float last_exponent = 2.0F / static_cast<float>(2 * half);
  const auto divisor = static_cast<float>(exp_of(log_of(ntk_factor) * last_exponent));
  std::vector<float> values;
  for (std::int64_t j = 0; j < half; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(2 * half);
    values.push_back(1 / static_cast<float>(exp_of(log_theta * exponent)) / divisor);
  }
  return values;
}

}  // namespace

Rotation::Rotation(std::uint32_t places, std::uint32_t head_dim, double theta, double ntk_factor)
    : half_(head_dim / 2) {
  const std::vector<float> by_component = frequencies(half_, theta, ntk_factor);
  cosines_.reserve(std::size_t{places} * by_component.size());
  sines_.reserve(std::size_t{places} * by_component.size());
  for (std::uint32_t place = 0; place < places; ++place) {
    for (const float frequency : by_component) {
      const float angle = static_cast<float>(place) * frequency;
      const auto [sine, cosine] = sine_and_cosine(angle);
      cosines_.push_back(static_cast<float>(cosine));
      sines_.push_back(static_cast<float>(sine));
    }
  }
}

void Rotation::apply(float* qkv, const kernels::AttentionShape& shape,
                     kernels::Range heads) const noexcept {
  for (std::int64_t place = 0; place < shape.seq_len; ++place) {
    const float* const cosine = cosines_.data() + place * half_;
    const float* const sine = sines_.data() + place * half_;
    float* const row = qkv + place * shape.qkv_width();
    for (std::int64_t head = heads.begin; head < heads.end; ++head) {
      float* const first = row + head * shape.head_dim;
      float* const second = first + half_;
      for (std::int64_t j = 0; j < half_; ++j) {
        const float a = first[j];
        const float b = second[j];
        first[j] = a * cosine[j] - b * sine[j];
        second[j] = b * cosine[j] + a * sine[j];
      }
    }
  }
}

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

namespace {

using kernels::AttentionShape;

/// The number that is added to the score of a key that a query does not see. Its weight is then the
/// least that exp2() returns, which changes no sum.
constexpr float unseen = -1e30F;
constexpr std::int64_t least_block = 64;
/// The queries of a block without later keys. Half of a block's own keys are computed in vain, and
/// all earlier ones are packed anew for each block.
constexpr std::int64_t causal_block = 128;
/// Kernels read whole vectors of numbers.
constexpr std::int64_t slack = 64;

}  // namespace

// Blocks of two windows cost the least: each has as many keys beside its queries.
Band::Band(std::uint32_t window, std::uint32_t most)
    : before_(std::min(window, most)),
      after_(before_),
      block_(std::max(2 * before_, least_block)),
      longest_(std::min(block_ + 2 * before_, std::int64_t{most})),
      reach_(longest_) {
  make_mask();
}

Band Band::causal(std::uint32_t most) {
  Band band;
  band.before_ = band.reach_ = most;
  band.block_ = causal_block;
  band.longest_ = std::min(causal_block, std::int64_t{most});
  band.make_mask();
  return band;
}

void Band::make_mask() {
  mask_.resize(static_cast<std::size_t>(2 * reach_ + slack), unseen);
  for (std::int64_t i = 0; i <= 2 * reach_; ++i)
    if (i >= reach_ - before_ && i <= reach_ + after_) mask_[static_cast<std::size_t>(i)] = 0;
}

std::int64_t Band::num_blocks(std::int64_t seq_len) const noexcept {
  return seq_len <= longest_ ? 1 : (seq_len + block_ - 1) / block_;
}

void Band::compute(const kernels::Attention& attention, const float* qkv,
                   const AttentionShape& shape, kernels::Range heads, kernels::Range blocks,
                   float* scratch, float* context) const noexcept {
  const kernels::DistanceBias bias = {.values = mask_.data(), .stride = 0, .reach = reach_};
  if (shape.seq_len <= longest_) {
    const bool all_seen = shape.seq_len <= std::min(before_, after_) + 1;
    attention.compute(qkv, shape, all_seen ? kernels::DistanceBias{} : bias, heads, scratch,
                      context);
    return;
  }
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
    const std::int64_t first = block * block_;
    const std::int64_t end = std::min(first + block_, shape.seq_len);
    const std::int64_t first_key = std::max<std::int64_t>(first - before_, 0);
    const std::int64_t end_key = std::min(end + after_, shape.seq_len);
    AttentionShape part = shape;
    part.seq_len = end_key - first_key;
    part.some_queries = {first - first_key, end - first_key};
    attention.compute(qkv + first_key * shape.qkv_width(), part, bias, heads, scratch,
                      context + first_key * shape.width());
  }
}

}  // namespace embd
