#pragma once

#include "engine/encoder/team.h"
#include "engine/kernels/kernels.h"

namespace embd {

/// The packed tokens that a layer is applied to, and what a member of a team needs for its share.
struct LayerRows {
  const kernels::Kernels& kernels;
  const kernels::Products& products;
  std::int64_t rows;
  float* hidden;   ///< [rows, hidden], shared by the members
  float* scratch;  ///< products.scratch() floats, the member's own
  TeamMember member = {};
};

// The two steps of a layer that end by adding what came in and normalizing the sum. They take
// products.block_rows at a time, so that a block is in the second cache from its first product to
// its norm. Every member of a team calls them with the same arguments but its own scratch; on
// return all of `hidden` is computed.

/// hidden[rows, w.out] = layer_norm(x[rows, w.in] · Wᵀ + bias + hidden)
void linear_add_norm(const LayerRows& layer, const float* x, const kernels::Linear& w,
                     const kernels::LayerNorm& norm);

/// Floats of the wide middle that feed_forward() needs for `rows` rows, shared by the members.
std::size_t middle_size(const kernels::Products& products, std::int64_t rows,
                        std::int64_t intermediate) noexcept;

/// hidden[rows, down.out] = layer_norm(gelu(hidden · Upᵀ + bias) · Downᵀ + bias + hidden)
void feed_forward(const LayerRows& layer, const kernels::Linear& up, const kernels::Linear& down,
                  const kernels::LayerNorm& norm, float* middle);

}  // namespace embd
