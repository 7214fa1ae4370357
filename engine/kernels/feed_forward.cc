#include "engine/kernels/feed_forward.h"

#include <algorithm>

namespace embd::kernels {
namespace {

/// A row of the wide middle, a cache line longer than it must be: rows 6,144 bytes apart would
/// share two sets of the first cache.
std::int64_t middle_stride(std::int64_t intermediate) {
  return (intermediate + 15) / 16 * 16 + 16;
}

std::int64_t middle_size(const Products& products, std::int64_t rows, std::int64_t intermediate) {
  return std::min(rows, products.block_rows) * middle_stride(intermediate);
}

}  // namespace

std::size_t feed_forward_scratch(const Products& products, std::int64_t rows, std::int64_t hidden,
                                 std::int64_t intermediate) noexcept {
  return static_cast<std::size_t>(middle_size(products, rows, intermediate)) +
         std::max(products.scratch(rows, hidden), products.scratch(rows, intermediate));
}

void feed_forward(const Products& products, const float* x, std::int64_t rows, const Linear& up,
                  const Linear& down, const LayerNorm& norm, float* scratch, float* y) noexcept {
  float* middle = scratch;
  float* rest = scratch + middle_size(products, rows, up.out);
  const std::int64_t stride = middle_stride(up.out);
  const std::int64_t blocks = (rows + products.block_rows - 1) / products.block_rows;
  for (std::int64_t i = 0; i < blocks; ++i) {
    const std::int64_t first = rows * i / blocks;
    const std::int64_t count = rows * (i + 1) / blocks - first;
    const float* block = x + first * up.in;
    products.linear_gelu(block, count, up, rest, middle, stride);
    products.linear_add_norm(middle, stride, count, down, block, norm, rest, y + first * down.out);
  }
}

}  // namespace embd::kernels
