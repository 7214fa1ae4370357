#include "engine/heads/layer_norm.h"

#include <cmath>
#include <cstddef>

namespace embd {

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
