#include "engine/heads/pooling.h"

#include <algorithm>
#include <cmath>

namespace embd {
namespace {

void mean(const float* rows, std::int64_t seq_len, std::int64_t hidden, std::span<float> out) {
  constexpr std::size_t block_columns = 64;  // Sums that stay in registers and the first cache.
  for (std::size_t first = 0; first < out.size(); first += block_columns) {
    const std::size_t columns = std::min(block_columns, out.size() - first);
    double sums[block_columns] = {};
    for (std::int64_t token = 0; token < seq_len; ++token) {
      const float* row = rows + token * hidden + first;
      for (std::size_t i = 0; i < columns; ++i) sums[i] += static_cast<double>(row[i]);
    }
    for (std::size_t i = 0; i < columns; ++i) {
      out[first + i] = static_cast<float>(sums[i] / static_cast<double>(seq_len));
    }
  }
}

void max(const float* rows, std::int64_t seq_len, std::int64_t hidden, std::span<float> out) {
  std::copy_n(rows, out.size(), out.begin());
  for (std::int64_t token = 1; token < seq_len; ++token) {
    const float* row = rows + token * hidden;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], row[i]);
  }
}

}  // namespace

void normalise(std::span<float> values) noexcept {
  double squares = 0;
  for (const float v : values) squares += static_cast<double>(v) * static_cast<double>(v);
  const double length = std::max(std::sqrt(squares), 1e-12);
  for (float& v : values) v = static_cast<float>(static_cast<double>(v) / length);
}

void pool(const float* rows, std::int64_t seq_len, std::int64_t hidden, Pooling pooling,
          bool normalize, std::span<float> out) noexcept {
  switch (pooling) {
    case Pooling::mean:
      mean(rows, seq_len, hidden, out);
      break;
    case Pooling::cls:
      std::copy_n(rows, out.size(), out.begin());
      break;
    case Pooling::max:
      max(rows, seq_len, hidden, out);
      break;
  }
  if (normalize) normalise(out);
}

}  // namespace embd
