#include "engine/encoder/activations.h"

#include <algorithm>

#include "engine/encoder/residual.h"

namespace embd {
namespace {

/// Returns a number of floats rounded up to whole cache lines.
std::size_t lines(std::size_t floats) {
  return (floats + 15) / 16 * 16;
}

/// The memory grows with the length of a text.
std::size_t attention_scratch(const kernels::Attention& attention, const ModelSpec& spec,
                              std::int64_t longest) {
  return attention.scratch({longest, spec.num_heads, spec.head_dim()});
}

}  // namespace

void Activations::reserve(const ModelSpec& spec, const kernels::Kernels& kernels,
                          const kernels::Products& products, std::int64_t tokens,
                          std::int64_t longest, int members) {
  const std::size_t hidden = lines(static_cast<std::size_t>(tokens * spec.hidden));
  const std::size_t qkv = lines(static_cast<std::size_t>(tokens * spec.hidden * 3));
  const std::size_t middle =
      lines(middle_size(products, tokens, spec.intermediate, spec.architecture.feed_forward));
  scratch_size_ = lines(
      std::max({products.scratch(tokens, spec.hidden), products.scratch(tokens, spec.intermediate),
                attention_scratch(kernels.attention, spec, longest),
                attention_scratch(kernels.attention_with(products, longest), spec, longest)}));
  grow(2 * hidden + qkv + middle + static_cast<std::size_t>(members) * scratch_size_);
  context_ = hidden_ + hidden;
  qkv_ = context_ + hidden;
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
