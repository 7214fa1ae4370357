#include "engine/encoder/rotation.h"

#include "engine/functions.h"

namespace embd {
namespace {

/// Returns the frequencies of one head, rounded as in transformers: the powers and the quotients
/// are float32.
std::vector<float> frequencies(std::int64_t half, double theta, double ntk_factor) {
  const double log_theta = log_of(theta * ntk_factor);
  const float last_exponent = 2.0F / static_cast<float>(2 * half);
  const auto divisor = static_cast<float>(exp_of(log_of(ntk_factor) * last_exponent));
  std::vector<float> values;
  for (std::int64_t j = 0; j < half; ++j) {
    const float exponent = static_cast<float>(2 * j) / static_cast<float>(2 * half);
    values.push_back(1 / static_cast<float>(exp_of(log_theta * exponent)) / divisor);
  }
  return values;
}

}  // namespace

Rotation::Rotation(std::uint32_t places, std::uint32_t head_dim, double theta, double ntk_factor)
    : half_(head_dim / 2) {
  const std::vector<float> by_component = frequencies(half_, theta, ntk_factor);
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
  for (std::int64_t place = 0; place < shape.seq_len; ++place) {
    const float* const cosine = cosines_.data() + place * half_;
    const float* const sine = sines_.data() + place * half_;
    float* const row = qkv + place * shape.qkv_width();
    for (std::int64_t head = heads.begin; head < heads.end; ++head) {
      float* const first = row + head * shape.head_dim;
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

}  // namespace embd
