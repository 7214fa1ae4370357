#include "engine/encoder/residual.h"

#include <algorithm>
#include <concepts>

namespace embd {
namespace {

using kernels::LayerNorm;
using kernels::Linear;
using kernels::Products;
using kernels::Range;

/// Rows that a product reads, `stride` floats apart.
struct Input {
  const float* x;
  std::int64_t stride;
};

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

/// One block of `rows` rows from `first` on; `input` begins at it. Members leave it with their own
/// rows normalised.
void add_norm_block(const LayerRows& layer, std::int64_t first, std::int64_t rows,
                    const Input& input, const Linear& w, const LayerNorm& norm) {
  float* const block = layer.hidden + first * w.out;
  layer.products.linear_add(input.x, input.stride, rows, w,
                            layer.member.share(w.out, layer.products.panel), block, layer.scratch,
                            block);
  layer.member.wait();
  const Range own = layer.member.share(rows);
  layer.kernels.layer_norm(block + own.begin * w.out, own.end - own.begin, w.out, norm);
}

/// A row of the wide middle, a cache line longer than it must be: rows 6,144 bytes apart would
/// share two sets of the first cache.
std::int64_t middle_stride(std::int64_t intermediate) {
  return (intermediate + 15) / 16 * 16 + 16;
}

}  // namespace

void linear_add_norm(const LayerRows& layer, const float* x, const Linear& w,
                     const LayerNorm& norm) {
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    add_norm_block(layer, first, rows, {x + first * w.in, w.in}, w, norm);
  });
  layer.member.wait();
}

std::size_t middle_size(const Products& products, std::int64_t rows,
                        std::int64_t intermediate) noexcept {
  return static_cast<std::size_t>(std::min(rows, products.block_rows) *
                                  middle_stride(intermediate));
}

void feed_forward(const LayerRows& layer, const Linear& up, const Linear& down,
                  const LayerNorm& norm, float* middle) {
  const std::int64_t stride = middle_stride(up.out);
  for_each_block(layer, [&](std::int64_t first, std::int64_t rows) {
    layer.products.linear_gelu(layer.hidden + first * down.out, rows, up,
                               layer.member.share(up.out, layer.products.panel), layer.scratch,
                               middle, stride);
    layer.member.wait();
    add_norm_block(layer, first, rows, {middle, stride}, down, norm);
  });
  layer.member.wait();
}

}  // namespace embd
