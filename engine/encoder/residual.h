#pragma once

#include "engine/encoder/team.h"
#include "engine/kernels/kernels.h"

namespace embd {

/// The packed tokens that a layer is applied to, and what a member of a team needs for its share of
/// the work.
struct LayerRows {
  const kernels::Kernels& kernels;
  const kernels::Products& products;
  std::int64_t rows;
  float* hidden;   ///< [rows, hidden], shared by all members
  float* scratch;  ///< products.scratch() floats that belong to this member
  TeamMember member = {};
};

// The two steps of a layer that end by adding their input and normalizing the sum. They process
// products.block_rows rows at a time, so that a block stays in the second-level cache from its
// first product to its norm. Every member of a team calls them with the same arguments, except for
// its own scratch. When they return, all of `hidden` is computed.

/// Computes hidden[rows, w.out] = layer_norm(x[rows, w.in] · Wᵀ + bias + hidden).
void linear_add_norm(const LayerRows& layer, const float* x, const kernels::Linear& w,
                     const kernels::LayerNorm& norm);

/// Returns the number of floats that feed_forward() needs in `middle` for `rows` rows. The members
/// share this memory.
std::size_t middle_size(const kernels::Products& products, std::int64_t rows,
                        std::int64_t intermediate) noexcept;

/// Computes hidden[rows, down.out] = layer_norm(gelu(hidden · Upᵀ + bias) · Downᵀ + bias + hidden).
void feed_forward(const LayerRows& layer, const kernels::Linear& up, const kernels::Linear& down,
                  const kernels::LayerNorm& norm, float* middle);

}  // namespace embd
