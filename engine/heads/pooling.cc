#include "engine/heads/pooling.h"

#include <algorithm>
#include <cmath>

namespace embd {
namespace {

void mean(MatrixView rows, std::span<float> out) {
  constexpr std::size_t block_columns = 64;  // Sums that stay in registers and the first cache.
  const auto seq_len = static_cast<double>(rows.rows());
  for (std::size_t first = 0; first < out.size(); first += block_columns) {
    const std::size_t columns = std::min(block_columns, out.size() - first);
    double sums[block_columns] = {};
    for (std::size_t token = 0; token < rows.rows(); ++token) {
      const float* row = rows.row(token).data() + first;
      for (std::size_t i = 0; i < columns; ++i) sums[i] += static_cast<double>(row[i]);
    }
    for (std::size_t i = 0; i < columns; ++i)
      out[first + i] = static_cast<float>(sums[i] / seq_len);
  }
}

void max(MatrixView rows, std::span<float> out) {
  std::copy_n(rows.data(), out.size(), out.begin());
  for (std::size_t token = 1; token < rows.rows(); ++token) {
    const float* row = rows.row(token).data();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], row[i]);
  }
}

}  // namespace

void pool(MatrixView rows, Pooling pooling, std::span<float> out) noexcept {
  if (rows.rows() == 0) {
    std::ranges::fill(out, 0.0F);
    return;
  }
  switch (pooling) {
    case Pooling::mean:
      return mean(rows, out);
    case Pooling::cls:
      std::copy_n(rows.data(), out.size(), out.begin());
      return;
    case Pooling::max:
      return max(rows, out);
  }
}

void normalize(std::span<float> values) noexcept {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (float& v : values) v = static_cast<float>(static_cast<double>(v) / length);
}

void PoolingHead::apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const {
  std::span<float> pooled = out;
  if (options_.pooled_dim > options_.dim) {
    scratch.resize(options_.pooled_dim);
    pooled = scratch;
  }
  pool(rows, options_.pooling, pooled);
  if (options_.normalize) normalize(pooled);
  if (pooled.size() > out.size()) std::ranges::copy(pooled.first(out.size()), out.begin());
}

}  // namespace embd
