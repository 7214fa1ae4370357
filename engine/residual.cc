#include "engine/residual.h"

#include <algorithm>

namespace embd {
namespace {

using kernels::Kernels;
using kernels::LayerNorm;
using kernels::Linear;
using kernels::Products;
using kernels::Range;

/// Calls work(first, rows) for blocks whose sizes differ by at most one.
template <class Work>
void for_each_block(const Products& products, std::int64_t rows, const Work& work) {
  const std::int64_t blocks = (rows + products.block_rows - 1) / products.block_rows;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = rows * i / blocks;
    work(first, rows * (i + 1) / blocks - first);
  }
}

/// One block. Members leave it with their own rows normalised.
void add_norm_block(const Kernels& kernels, const Products& products, const float* x,
                    std::int64_t x_stride, std::int64_t rows, const Linear& w,
                    const LayerNorm& norm, float* scratch, float* hidden,
                    const TeamMember& member) {
  products.linear_add(x, x_stride, rows, w, member.share(w.out, products.panel), hidden, scratch,
                      hidden);
  member.wait();
  const Range own = member.share(rows);
  kernels.layer_norm(hidden + own.begin * w.out, own.end - own.begin, w.out, norm);
}

/// A row of the wide middle, a cache line longer than it must be: rows 6,144 bytes apart would
/// share two sets of the first cache.
std::int64_t middle_stride(std::int64_t intermediate) {
  return (intermediate + 15) / 16 * 16 + 16;
}

}  // namespace

void linear_add_norm(const Kernels& kernels, const Products& products, const float* x,
                     std::int64_t rows, const Linear& w, const LayerNorm& norm, float* scratch,
                     float* hidden, const TeamMember& member) {
  for_each_block(products, rows, [&](std::int64_t first, std::int64_t count) {
    add_norm_block(kernels, products, x + first * w.in, w.in, count, w, norm, scratch,
                   hidden + first * w.out, member);
  });
  member.wait();
}

std::size_t middle_size(const Products& products, std::int64_t rows,
                        std::int64_t intermediate) noexcept {
  return static_cast<std::size_t>(std::min(rows, products.block_rows) *
                                  middle_stride(intermediate));
}

void feed_forward(const Kernels& kernels, const Products& products, std::int64_t rows,
                  const Linear& up, const Linear& down, const LayerNorm& norm, float* middle,
                  float* scratch, float* hidden, const TeamMember& member) {
  const std::int64_t stride = middle_stride(up.out);
  for_each_block(products, rows, [&](std::int64_t first, std::int64_t count) {
    float* block = hidden + first * down.out;
    products.linear_gelu(block, count, up, member.share(up.out, products.panel), scratch, middle,
                         stride);
    member.wait();
    add_norm_block(kernels, products, middle, stride, count, down, norm, scratch, block, member);
  });
  member.wait();
}

}  // namespace embd
