#include "engine/heads/pooling.h"

#include <algorithm>
#include <cmath>

namespace embd {
namespace {

/// Computes the sum of weight(i) times row i, divided by `divisor`.
void weighted_sum(MatrixView rows, auto weight, double divisor, std::span<float> out) {
  constexpr std::size_t block_columns = 64;  // Sums that stay in registers and the first cache.
  for (std::size_t first = 0; first < out.size(); first += block_columns) {
    const std::size_t columns = std::min(block_columns, out.size() - first);
    double sums[block_columns] = {};
    for (std::size_t token = 0; token < rows.rows(); ++token) {
      const float* row = rows.row(token).data() + first;
      for (std::size_t i = 0; i < columns; ++i)
        sums[i] += weight(token) * static_cast<double>(row[i]);
    }
    for (std::size_t i = 0; i < columns; ++i)
      out[first + i] = static_cast<float>(sums[i] / divisor);
  }
}

constexpr auto one = [](std::size_t /*token*/) { return 1.0; };
/// The place of a token, from 1. Its product with a float is exact.
constexpr auto place = [](std::size_t token) { return static_cast<double>(token + 1); };

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
  const auto seq_len = static_cast<double>(rows.rows());
  switch (pooling) {
    case Pooling::mean:
      return weighted_sum(rows, one, seq_len, out);
    case Pooling::mean_sqrt_len_tokens:
      return weighted_sum(rows, one, std::sqrt(seq_len), out);
    case Pooling::weightedmean:
      return weighted_sum(rows, place, seq_len * (seq_len + 1) / 2, out);
    case Pooling::cls:
      std::copy_n(rows.data(), out.size(), out.begin());
      return;
    case Pooling::max:
      return max(rows, out);
    case Pooling::lasttoken:
      std::copy_n(rows.row(rows.rows() - 1).data(), out.size(), out.begin());
      return;
    case Pooling::joined:
      break;
  }
}

void normalize(std::span<float> values) noexcept {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (float& v : values) v = static_cast<float>(static_cast<double>(v) / length);
}

void PoolingHead::pool_rows(MatrixView rows, std::span<float> out) const noexcept {
  if (options_.pooling != Pooling::joined) return pool(rows, options_.pooling, out);
  for (const Pooling pooling : options_.joined) {
    const auto part = out.first(std::min(out.size(), rows.cols()));
    pool(rows, pooling, part);
    out = out.subspan(part.size());
  }
}

void PoolingHead::apply(MatrixView rows, std::vector<float>& scratch, std::span<float> out) const {
  std::span<float> vector = out;
  if (options_.modules != nullptr && !options_.modules->empty()) {
    const VectorModules& modules = *options_.modules;
    scratch.resize(2 * modules.widest());
    const std::span<float> values = std::span(scratch).first(modules.widest());
    pool_rows(rows, values.first(modules.in()));
    vector = modules.apply(values, std::span(scratch).last(modules.widest()));
    vector = vector.first(options_.pooled_dim);
  } else {
    if (options_.pooled_dim > options_.dim) {
      scratch.resize(options_.pooled_dim);
      vector = scratch;
    }
    pool_rows(rows, vector);
  }
  if (options_.normalize) normalize(vector);
  if (vector.data() != out.data()) std::ranges::copy(vector.first(out.size()), out.begin());
}

}  // namespace embd
