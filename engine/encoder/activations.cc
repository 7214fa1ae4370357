#include "engine/encoder/activations.h"

#include <algorithm>

#include "engine/encoder/residual.h"

namespace embd {
namespace {

/// Returns a number of floats rounded up to whole cache lines.
std::size_t lines(std::size_t floats) {
  return (floats + 15) / 16 * 16;
}

}  // namespace

kernels::AttentionShape attention_shape(const ModelSpec& spec, std::int64_t seq_len) noexcept {
  return {.seq_len = seq_len,
          .num_heads = spec.num_heads,
          .head_dim = spec.head_dim(),
          .group = spec.num_heads / spec.key_heads()};
}

void Activations::reserve(const ModelSpec& spec, const kernels::Kernels& kernels,
                          const kernels::Products& products, std::int64_t tokens,
                          std::int64_t longest, int members) {
  const kernels::AttentionShape shape = attention_shape(spec, longest);
  const std::int64_t widest = std::max<std::int64_t>(spec.hidden, shape.width());
  const std::size_t hidden = lines(static_cast<std::size_t>(tokens * spec.hidden));
  const std::size_t context = lines(static_cast<std::size_t>(tokens * widest));
  const std::size_t qkv =
      lines(static_cast<std::size_t>(tokens * std::max(shape.qkv_width(), widest)));
  const std::size_t middle =
      lines(middle_size(products, tokens, spec.intermediate, spec.architecture.feed_forward));
  scratch_size_ = lines(
      // The memory for attention grows with the length of a text.
      std::max({products.scratch(tokens, widest), products.scratch(tokens, spec.intermediate),
                kernels.attention.scratch(shape),
                kernels.attention_with(products, longest).scratch(shape)}));
  grow(hidden + context + qkv + middle + static_cast<std::size_t>(members) * scratch_size_);
  context_ = hidden_ + hidden;
  qkv_ = context_ + context;
  middle_ = qkv_ + qkv;
  scratch_ = middle_ + middle;
}

void Activations::reserve_rows(std::int64_t tokens, std::int64_t hidden) {
  grow(static_cast<std::size_t>(tokens * hidden));
}

void Activations::grow(std::size_t floats) {
  if (floats * sizeof(float) > buffer_.size()) {
    buffer_ = AlignedBuffer();  // Before the larger one, so that both never exist together.
    buffer_ = AlignedBuffer(floats * sizeof(float));
  }
  hidden_ = reinterpret_cast<float*>(buffer_.data());
}

}  // namespace embd
