#include "engine/encoder/residual.h"

#include <algorithm>
#include <concepts>

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
/// member's share of the block.
void norm_own_rows(const LayerRows& layer, std::int64_t first, std::int64_t rows,
                   std::int64_t hidden_size, const LayerNorm& norm) {
  layer.member.wait();
  const Range own = layer.member.share(rows);
  layer.kernels.layer_norm(layer.hidden + (first + own.begin) * hidden_size, own.end - own.begin,
                           hidden_size, norm);
}

}  // namespace

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

std::size_t middle_size(const Products& products, std::int64_t rows,
                        std::int64_t intermediate) noexcept {
  return static_cast<std::size_t>(std::min(rows, products.block_rows) *
                                  kernels::middle_stride(intermediate));
}

void feed_forward(const LayerRows& layer, const Linear& up, const Linear& down,
                  const LayerNorm& norm, float* middle) {
  const std::int64_t stride = kernels::middle_stride(up.out);
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    float* const block = layer.hidden + first * down.out;
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

}  // namespace embd
