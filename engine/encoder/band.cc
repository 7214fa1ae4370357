#include "engine/encoder/band.h"

#include <algorithm>

namespace embd {
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
