#include "engine/encoder/residual.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <numbers>

namespace embd {
namespace {

using kernels::LayerNorm;
using kernels::Linear;
using kernels::Products;
using kernels::Range;

/// Calls work(first, rows) for blocks whose sizes differ by at most one.
void for_each_block(const LayerRows& layer,
                    const std::invocable<std::int64_t, std::int64_t> auto& work) {
  const std::int64_t blocks =
      (layer.rows + layer.products.block_rows - 1) / layer.products.block_rows;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = layer.rows * i / blocks;
    work(first, layer.rows * (i + 1) / blocks - first);
  }
}

/// Waits until all members have computed the block of rows from `first` on, then normalizes this
/// member's share of the block, if there is a norm.
void norm_own_rows(const LayerRows& layer, std::int64_t first, std::int64_t rows,
                   std::int64_t hidden_size, const LayerNorm& norm) {
  layer.member.wait();
  if (norm.gamma == nullptr) return;
  const Range own = layer.member.share(rows);
  layer.kernels.layer_norm(layer.hidden + (first + own.begin) * hidden_size, own.end - own.begin,
                           hidden_size, norm);
}

/// Normalizes this member's share of a block of results and adds it to the rows from `first` on.
/// All members have computed the block, and none writes another one there before all are done.
void add_normed_rows(const LayerRows& layer, std::int64_t first, std::int64_t rows,
                     std::int64_t hidden_size, const LayerNorm& norm, float* result) {
  layer.member.wait();
  const Range own = layer.member.share(rows);
  float* const from = result + own.begin * hidden_size;
  const std::int64_t count = (own.end - own.begin) * hidden_size;
  layer.kernels.layer_norm(from, own.end - own.begin, hidden_size, norm);
  float* const to = layer.hidden + (first + own.begin) * hidden_size;
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
  layer.member.wait();
}

void gate_by_gelu(const kernels::Kernels& kernels, float* gate, const float* up,
                  std::int64_t n) noexcept {
  kernels.gelu(gate, n);
  for (std::int64_t i = 0; i < n; ++i) gate[i] *= up[i];
}

/// Replaces gate[n] by x / (1 + 2^power(x)) · up[n], for each x in the gate. The power is limited
/// to numbers that exp2() can return.
template <class Power>
void gate_by_power(const kernels::Kernels& kernels, float* gate, const float* up, std::int64_t n,
                   const Power& power) noexcept {
  constexpr std::int64_t part = 256;
  constexpr float most = 126;
  std::array<float, part> powers;
  for (std::int64_t first = 0; first < n; first += part) {
    const std::int64_t count = std::min(part, n - first);
    float* const x = gate + first;
    for (std::int64_t i = 0; i < count; ++i)
      powers[static_cast<std::size_t>(i)] = std::min(power(x[i]), most);
    kernels.exp2(powers.data(), count);
    for (std::int64_t i = 0; i < count; ++i)
      x[i] = x[i] / (1 + powers[static_cast<std::size_t>(i)]) * up[first + i];
  }
}

/// SiLU is x / (1 + 2^(−x · log2 e)).
void gate_by_silu(const kernels::Kernels& kernels, float* gate, const float* up,
                  std::int64_t n) noexcept {
  gate_by_power(kernels, gate, up, n, [](float x) { return x * -std::numbers::log2e_v<float>; });
}

/// GELU with tanh is x / (1 + e^(−2 u)) with u = √(2/π) · (x + 0.044715 x³).
void gate_by_gelu_tanh(const kernels::Kernels& kernels, float* gate, const float* up,
                       std::int64_t n) noexcept {
  constexpr float linear = -2.30220819F;
  constexpr float cubic = -0.102943239F;
  gate_by_power(kernels, gate, up, n, [](float x) { return x * (linear + cubic * (x * x)); });
}

}  // namespace

Gate gate_of(Activation activation) noexcept {
  switch (activation) {
    case Activation::gelu:
      return gate_by_gelu;
    case Activation::silu:
      return gate_by_silu;
    case Activation::gelu_tanh:
      return gate_by_gelu_tanh;
    case Activation::relu:
      break;
  }
  return nullptr;
}

void note_largest(std::span<const float> row, std::span<float> largest) {
  for (std::size_t k = 0; k < row.size(); ++k) largest[k] = std::max(largest[k], std::abs(row[k]));
}

void note_inputs(const LayerRows& layer, const float* x, std::int64_t rows, std::int64_t columns,
                 std::vector<float> LargestInputs::* of) {
  if (layer.largest == nullptr || layer.member.index != 0) return;
  for (std::int64_t row = 0; row < rows; ++row)
    note_largest({x + row * columns, static_cast<std::size_t>(columns)}, layer.largest->*of);
}

void normed_copy(const LayerRows& layer, const float* x, std::int64_t rows, std::int64_t hidden,
                 const LayerNorm& norm, float* y) {
  const Range own = layer.member.share(rows);
  std::copy(x + own.begin * hidden, x + own.end * hidden, y + own.begin * hidden);
  layer.kernels.layer_norm(y + own.begin * hidden, own.end - own.begin, hidden, norm);
  layer.member.wait();
}

void linear_add_norm(const LayerRows& layer, const float* x, const Linear& w,
                     const LayerNorm& norm) {
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    float* const block = layer.hidden + first * w.out;
    layer.products.linear_add({x + first * w.in, rows, w.in}, w,
                              layer.member.share(w.out, layer.products.panel), block, layer.scratch,
                              block);
    norm_own_rows(layer, first, rows, w.out, norm);
  });
  layer.member.wait();
}

void linear_norm_add(const LayerRows& layer, const float* x, const Linear& w, const LayerNorm& norm,
                     float* result) {
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    layer.products.linear({x + first * w.in, rows, w.in}, w,
                          layer.member.share(w.out, layer.products.panel), layer.scratch, result);
    add_normed_rows(layer, first, rows, w.out, norm, result);
  });
}

std::size_t middle_size(const Products& products, std::int64_t rows, std::int64_t intermediate,
                        FeedForward kind) noexcept {
  const std::int64_t stride =
      kind == FeedForward::gated ? 2 * intermediate : kernels::middle_stride(intermediate);
  return static_cast<std::size_t>(std::min(rows, products.block_rows) * stride);
}

void feed_forward(const LayerRows& layer, const Linear& up, const Linear& down,
                  const LayerNorm& norm, float* middle) {
  const std::int64_t stride = kernels::middle_stride(up.out);
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    float* const block = layer.hidden + first * down.out;
    note_inputs(layer, block, rows, up.in, &LargestInputs::feed_forward);
    layer.products.up({block, rows, up.in}, up, layer.member.share(up.out, layer.products.panel),
                      layer.scratch, middle, stride);
    layer.member.wait();
    layer.products.down({middle, rows, stride}, down,
                        layer.member.share(down.out, layer.products.panel), block, layer.scratch,
                        block);
    norm_own_rows(layer, first, rows, down.out, norm);
  });
  layer.member.wait();
}

void gated_feed_forward(const LayerRows& layer, const GatedFeedForward& step, float* normed,
                        float* middle) {
  const auto& [gate_up, down, norm, norm_precedes, result_norm, activation] = step;
  const LayerNorm behind = norm_precedes ? LayerNorm{} : norm;
  const Gate gate = gate_of(activation);
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    float* const block = layer.hidden + first * down.out;
    const float* x = block;
    if (norm_precedes) {
      normed_copy(layer, block, rows, down.out, norm, normed);
      x = normed;
    }
    note_inputs(layer, x, rows, gate_up.in, &LargestInputs::feed_forward);
    layer.products.linear({x, rows, gate_up.in}, gate_up,
                          layer.member.share(gate_up.out, layer.products.panel), layer.scratch,
                          middle);
    layer.member.wait();
    const Range own = layer.member.share(rows);
    for (std::int64_t row = own.begin; row < own.end; ++row) {
      float* const both = middle + row * gate_up.out;
      gate(layer.kernels, both, both + down.in, down.in);
    }
    layer.member.wait();
    if (result_norm.gamma != nullptr) {
      layer.products.linear({middle, rows, gate_up.out}, down,
                            layer.member.share(down.out, layer.products.panel), layer.scratch,
                            normed);
      add_normed_rows(layer, first, rows, down.out, result_norm, normed);
      return;
    }
    layer.products.linear_add({middle, rows, gate_up.out}, down,
                              layer.member.share(down.out, layer.products.panel), block,
                              layer.scratch, block);
    norm_own_rows(layer, first, rows, down.out, behind);
  });
  layer.member.wait();
}

}  // namespace embd
