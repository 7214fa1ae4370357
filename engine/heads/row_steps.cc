#include "engine/heads/row_steps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/try.h"

namespace embd {

Result<Dense> Dense::load(const WeightFile& file, std::string_view weight, std::string_view bias) {
  const WeightMatrix stored = EMBD_TRY(file.matrix(weight));
  std::vector<float> rows(stored.rows() * stored.cols());
  EMBD_TRY(stored.to_floats(rows));
  Dense dense;
  dense.in_ = stored.cols();
  dense.bias_.resize(stored.rows());
  if (!bias.empty()) dense.bias_ = EMBD_TRY(file.vector(bias));
  const std::size_t num_blocks = (stored.rows() + block - 1) / block;
  dense.weight_.resize(num_blocks * dense.in_ * block);
  for (std::size_t o = 0; o < stored.rows(); ++o) {
    for (std::size_t i = 0; i < dense.in_; ++i)
      dense.weight_[(o / block * dense.in_ + i) * block + o % block] = rows[o * dense.in_ + i];
  }
  return dense;
}

void Dense::apply(std::span<const float> x, std::span<float> y,
                  double (*function)(double)) const noexcept {
  const float* weight = weight_.data();
  for (std::size_t first = 0; first < out(); first += block) {
    std::array<double, block> sums{};
    for (const float value : x) {
      for (std::size_t o = 0; o < block; ++o)
        sums[o] += static_cast<double>(value) * static_cast<double>(weight[o]);
      weight += block;
    }
    const std::size_t count = std::min(block, out() - first);
    for (std::size_t o = 0; o < count; ++o) {
      const double sum = sums[o] + static_cast<double>(bias_[first + o]);
      y[first + o] = static_cast<float>(function(sum));
    }
  }
}

void layer_norm(std::span<const float> x, std::span<const float> gamma, std::span<const float> beta,
                double epsilon, std::span<float> y) noexcept {
  const auto count = static_cast<double>(x.size());
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value);
  const double mean = sum / count;
  double squares = 0;
  for (const float value : x) {
    const double distance = static_cast<double>(value) - mean;
    squares += distance * distance;
  }
  const double length = std::sqrt(squares / count + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = (static_cast<double>(x[i]) - mean) / length;
    y[i] =
        static_cast<float>(scaled * static_cast<double>(gamma[i]) + static_cast<double>(beta[i]));
  }
}

}  // namespace embd
