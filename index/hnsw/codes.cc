#include "index/hnsw/codes.h"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "formats/usearch/usearch_scalar.h"

namespace embd::hnsw {
namespace {

/// Rows the center is the mean of, at most, taken at equal steps.
constexpr std::size_t kCenterRows = 16384;
/// Shorter rows are as quickly compared in full, and their neighbours lie closer together.
constexpr std::size_t kMinDim = 32;
constexpr float kLargestCode = 127;

/// A row in float32, of length 1 if the metric looks at directions only.
void load_row(const Distance& distance, const StoredRows& rows, std::size_t slot,
              std::span<float> values) noexcept {
  usearch::decode_row(distance.type(), rows.row(slot), values);
  if (distance.metric() != Metric::cos) return;
  const float scale = distance.query(rows, slot).inverse_norm;
  for (float& value : values) value *= scale;
}

}  // namespace

bool Codes::suits(const Distance& distance) noexcept {
  const bool metric = distance.metric() == Metric::cos || distance.metric() == Metric::l2sq ||
                      distance.metric() == Metric::ip;
  const bool type = distance.type() == ElementType::f32 || distance.type() == ElementType::f16 ||
                    distance.type() == ElementType::bf16;
  return metric && type && distance.dim() >= kMinDim && distance.dim() <= distances::kMaxIntegerDim;
}

Codes::Codes(const Distance& distance, const StoredRows& rows, std::size_t num_rows, int threads)
    : has_ratios_(distance.metric() != Metric::ip),
      dim_(distance.dim()),
      stride_((distance.dim() + 63) / 64 * 64),
      kernel_(distances::kernels().i8.dot.gather),
      codes_(num_rows * stride_),
      terms_(num_rows) {
  set_center(distance, rows, num_rows);
  std::vector<float> values(static_cast<std::size_t>(threads) * dim_);
#pragma omp parallel for num_threads(threads)
  for (std::size_t slot = 0; slot < num_rows; ++slot) {
    encode(distance, rows, slot,
           std::span(values).subspan(static_cast<std::size_t>(omp_get_thread_num()) * dim_, dim_));
  }
}

void Codes::set_center(const Distance& distance, const StoredRows& rows, std::size_t num_rows) {
  const std::size_t step = num_rows / kCenterRows + 1;
  std::vector<double> sums(dim_);
  std::vector<float> values(dim_);
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < num_rows; slot += step, ++count) {
    load_row(distance, rows, slot, values);
    for (std::size_t i = 0; i < dim_; ++i) sums[i] += static_cast<double>(values[i]);
  }
  center_.resize(dim_);
  for (std::size_t i = 0; i < dim_ && count > 0; ++i) {
    const auto mean = static_cast<float>(sums[i] / static_cast<double>(count));
    center_[i] = std::isfinite(mean) ? mean : 0;
  }
}

void Codes::encode(const Distance& distance, const StoredRows& rows, std::size_t slot,
                   std::span<float> values) noexcept {
  load_row(distance, rows, slot, values);
  float largest = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    values[i] -= center_[i];
    largest = std::max(largest, std::fabs(values[i]));
  }
  const float scale = std::isfinite(largest) ? largest / kLargestCode : 0;
  std::int8_t* code = codes_.data() + slot * stride_;
  double squares = 0;
  double along_center = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    const float rounded = scale > 0 ? std::nearbyint(values[i] / scale) : 0;
    code[i] = static_cast<std::int8_t>(std::clamp(rounded, -kLargestCode, kLargestCode));
    squares += static_cast<double>(code[i]) * code[i];
    along_center += static_cast<double>(code[i]) * static_cast<double>(center_[i]);
  }
  const auto scaled = static_cast<double>(scale);
  if (distance.metric() == Metric::ip) {
    terms_[slot] = {static_cast<float>(-scaled * along_center), scale};
  } else {
    terms_[slot] = {static_cast<float>(scaled * scaled * squares),
                    static_cast<float>(std::sqrt(2.0) * scaled)};
  }
}

}  // namespace embd::hnsw
