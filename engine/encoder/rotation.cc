#include "engine/encoder/rotation.h"

#include <array>
#include <cmath>

#include "engine/heads/functions.h"

namespace embd {
namespace {

/// The values 1 / n!, from n = 0 on, with alternating signs of each second one.
constexpr auto terms = [] {
  std::array<double, 18> values{};
  double factorial = 1;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    values[n] = (n / 2 % 2 == 0 ? 1 : -1) / factorial;
  }
  return values;
}();

/// Returns terms[first] + terms[first + 2] · x² + …
double series(std::size_t first, double square) noexcept {
  double sum = 0;
  for (std::size_t n = terms.size() - 2 + first; n > first; n -= 2) sum = (sum + terms[n]) * square;
  return sum + terms[first];
}

/// Returns the frequencies of one head, rounded as in transformers: the power and its reciprocal
/// are float32.
std::vector<float> frequencies(std::int64_t half, double theta) {
  const double log_theta = log_of(theta);
  std::vector<float> values;
  for (std::int64_t j = 0; j < half; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(2 * half);
    values.push_back(1 / static_cast<float>(exp_of(log_theta * exponent)));
  }
  return values;
}

}  // namespace

SineAndCosine sine_and_cosine(double angle) noexcept {
  // π / 2 in three parts: multiples of the first two by numbers below 2^20 are exact.
  constexpr double high = 0x1.921fb544p+0;
  constexpr double middle = 0x1.0b4611a6p-34;
  constexpr double low = 0x1.3198a2e037073p-69;
  constexpr double inverse = 0x1.45f306dc9c883p-1;
  const double quarters = std::floor(angle * inverse + 0.5);
  const double rest = ((angle - quarters * high) - quarters * middle) - quarters * low;
  const double square = rest * rest;
  const double sine = rest * series(1, square);
  const double cosine = series(0, square);
  switch (static_cast<std::int64_t>(quarters) % 4) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

Rotation::Rotation(std::uint32_t places, std::uint32_t head_dim, double theta)
    : half_(head_dim / 2) {
  const std::vector<float> by_component = frequencies(half_, theta);
  cosines_.reserve(std::size_t{places} * by_component.size());
  sines_.reserve(std::size_t{places} * by_component.size());
  for (std::uint32_t place = 0; place < places; ++place) {
    for (const float frequency : by_component) {
      const float angle = static_cast<float>(place) * frequency;
      const auto [sine, cosine] = sine_and_cosine(angle);
      cosines_.push_back(static_cast<float>(cosine));
      sines_.push_back(static_cast<float>(sine));
    }
  }
}

void Rotation::apply(float* qkv, const kernels::AttentionShape& shape,
                     kernels::Range heads) const noexcept {
  const std::int64_t hidden = shape.num_heads * shape.head_dim;
  for (std::int64_t place = 0; place < shape.seq_len; ++place) {
    const float* const cosine = cosines_.data() + place * half_;
    const float* const sine = sines_.data() + place * half_;
    float* const row = qkv + place * 3 * hidden;
    for (float* const part : {row, row + hidden}) {
      for (std::int64_t head = heads.begin; head < heads.end; ++head) {
        float* const first = part + head * shape.head_dim;
        float* const second = first + half_;
        for (std::int64_t j = 0; j < half_; ++j) {
          const float a = first[j];
          const float b = second[j];
          first[j] = a * cosine[j] - b * sine[j];
          second[j] = b * cosine[j] + a * sine[j];
        }
      }
    }
  }
}

}  // namespace embd
