#include "engine/encoder/band.h"

#include <algorithm>
#include <cstdlib>

namespace embd {
namespace {

using kernels::AttentionShape;

/// The number that is added to the score of a key that a query does not see. Its weight is then the
/// least that exp2() returns, which changes no sum.
constexpr float unseen = -1e30F;
constexpr std::int64_t least_block = 64;
/// Kernels read whole vectors of numbers.
constexpr std::int64_t slack = 64;

}  // namespace

// Blocks of two windows cost the least: each has as many keys beside its queries.
Band::Band(std::uint32_t window, std::uint32_t most)
    : window_(std::min(window, most)), block_(std::max(2 * window_, least_block)) {
  longest_ = std::min(block_ + 2 * window_, std::int64_t{most});
  mask_.resize(static_cast<std::size_t>(2 * longest_ + slack), unseen);
  for (std::int64_t i = 0; i <= 2 * longest_; ++i)
    if (std::abs(i - longest_) <= window_) mask_[static_cast<std::size_t>(i)] = 0;
}

std::int64_t Band::num_blocks(std::int64_t seq_len) const noexcept {
  return seq_len <= longest_ ? 1 : (seq_len + block_ - 1) / block_;
}

void Band::compute(const kernels::Attention& attention, const float* qkv,
                   const AttentionShape& shape, kernels::Range heads, kernels::Range blocks,
                   float* scratch, float* context) const noexcept {
  const kernels::DistanceBias bias = {.values = mask_.data(), .stride = 0, .reach = longest_};
  if (shape.seq_len <= longest_) {
    const bool all_seen = shape.seq_len <= window_ + 1;
    attention.compute(qkv, shape, all_seen ? kernels::DistanceBias{} : bias, heads, scratch,
                      context);
    return;
  }
  const std::int64_t hidden = shape.num_heads * shape.head_dim;
  for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
    const std::int64_t first = block * block_;
    const std::int64_t end = std::min(first + block_, shape.seq_len);
    const std::int64_t first_key = std::max<std::int64_t>(first - window_, 0);
    const std::int64_t end_key = std::min(end + window_, shape.seq_len);
    attention.compute(qkv + first_key * 3 * hidden,
                      {.seq_len = end_key - first_key,
                       .num_heads = shape.num_heads,
                       .head_dim = shape.head_dim,
                       .some_queries = {first - first_key, end - first_key}},
                      bias, heads, scratch, context + first_key * hidden);
  }
}

}  // namespace embd
