#pragma once

#include <span>
#include <vector>

#include "engine/encoder/team.h"
#include "engine/kernels/kernels.h"
#include "formats/weights/architecture.h"

namespace embd {

/// The largest magnitude of each column of the rows that two steps of a layer multiply.
struct LargestInputs {
  std::vector<float> attention;     ///< [hidden], of the first step of attention
  std::vector<float> feed_forward;  ///< [hidden], of the first step of the feed-forward network
};

/// Raises each of `largest` to the magnitude of its value in the row, unless that is NaN.
void note_largest(std::span<const float> row, std::span<float> largest);

/// The packed tokens that a layer is applied to, and what a member of a team needs for its share of
/// the work.
struct LayerRows {
  const kernels::Kernels& kernels;
  const kernels::Products& products;
  std::int64_t rows;
  float* hidden;   ///< [rows, hidden], shared by all members
  float* scratch;  ///< products.scratch() floats that belong to this member
  TeamMember member = {};
  LargestInputs* largest = nullptr;  ///< what is to be noted, by the first member; or null
};

/// Raises the numbers of `of` to the magnitudes of x[rows, columns], if they are to be noted.
void note_inputs(const LayerRows& layer, const float* x, std::int64_t rows, std::int64_t columns,
                 std::vector<float> LargestInputs::* of);

// The two steps of a layer that end by adding their input and normalizing the sum. They process
// products.block_rows rows at a time, so that a block stays in the second-level cache from its
// first product to its norm. Every member of a team calls them with the same arguments, except for
// its own scratch. When they return, all of `hidden` is computed.

/// Computes y[rows, hidden] = layer_norm(x).
void normed_copy(const LayerRows& layer, const float* x, std::int64_t rows, std::int64_t hidden,
                 const kernels::LayerNorm& norm, float* y);

/// Computes hidden[rows, w.out] = layer_norm(x[rows, w.in] · Wᵀ + bias + hidden), or the sum alone
/// if the norm has no gamma.
void linear_add_norm(const LayerRows& layer, const float* x, const kernels::Linear& w,
                     const kernels::LayerNorm& norm);

/// Computes hidden[rows, w.out] = layer_norm(x[rows, w.in] · Wᵀ + bias) + hidden. `result` has room
/// for a row of w.out for each of products.block_rows rows.
void linear_norm_add(const LayerRows& layer, const float* x, const kernels::Linear& w,
                     const kernels::LayerNorm& norm, float* result);

/// Returns the number of floats that feed_forward() or gated_feed_forward() needs in `middle` for
/// `rows` rows. The members share this memory.
std::size_t middle_size(const kernels::Products& products, std::int64_t rows,
                        std::int64_t intermediate, FeedForward kind = FeedForward::plain) noexcept;

/// Computes hidden[rows, down.out] = layer_norm(gelu(hidden · Upᵀ + bias) · Downᵀ + bias + hidden).
void feed_forward(const LayerRows& layer, const kernels::Linear& up, const kernels::Linear& down,
                  const kernels::LayerNorm& norm, float* middle);

/// Replaces gate[n] by activation(gate) · up[n].
using Gate = void (*)(const kernels::Kernels& kernels, float* gate, const float* up,
                      std::int64_t n) noexcept;

/// Returns the function that computes the gate of an activation; null if there is none yet, so that
/// gated_feed_forward() cannot compute the activation.
Gate gate_of(Activation activation) noexcept;

/// The weights of a gated feed-forward network.
struct GatedFeedForward {
  const kernels::Linear& gate_up;  ///< [2 · intermediate, hidden], the gate first
  const kernels::Linear& down;     ///< [hidden, intermediate]
  const kernels::LayerNorm& norm;
  bool norm_precedes;                     ///< True if the norm stands before the step.
  const kernels::LayerNorm& result_norm;  ///< The norm of gated(x); without gamma if there is none.
  Activation activation;                  ///< One for which gate_of() has a function.
};

/// Computes hidden = layer_norm(gated(hidden) + hidden) or, if the norm stands before,
/// hidden = gated(layer_norm(hidden)) + hidden, where gated(x) is
/// (activation(x · Gateᵀ + bias) · (x · Upᵀ + bias)) · Downᵀ + bias. `normed` has room for a row of
/// `hidden` for each of products.block_rows rows; it is used only if the norm stands before.
void gated_feed_forward(const LayerRows& layer, const GatedFeedForward& step, float* normed,
                        float* middle);

}  // namespace embd
