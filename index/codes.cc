#include "index/codes.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/try.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd {
namespace {

/// The greatest number of rows of which the center is the mean; they are taken at equal steps.
constexpr std::size_t kCenterRows = 16384;
/// The smallest dimension for codes. Shorter rows are compared in full as quickly, and their
/// neighbours are closer to each other.
constexpr std::size_t kMinDim = 32;
constexpr float kLargestCode = 127;
/// The smallest size of a row in bytes for which reading its code first saves time.
constexpr std::size_t kMinScreenedBytes = 384;
/// The greatest bias. The terms of longer rows could overflow.
constexpr double kLargestBias = 1e36;

/// Returns a bound of the relative error of a kernel's sum over a row, and of what is computed from
/// it. A sum has 16 chains with one rounding for every 16 elements, and a few more to add and scale
/// them. The bound is four times that.
double rounding(std::size_t dim) noexcept {
  const std::size_t num_roundings = dim / 16 + 16;
  return static_cast<double>(num_roundings) * 0x1p-22;
}

double squared_length(std::span<const float> values) noexcept {
  constexpr std::size_t kLanes = 8;  // So that the compiler can use vector instructions.
  double lanes[kLanes] = {};
  double sum = 0;
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[i + lane]);
      lanes[lane] += value * value;
    }
  }
  for (; i < values.size(); ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Scales a row to length 1 if its length is too large or too small for float32.
void scale_to_unit(std::span<float> values) noexcept {
  const double length = std::sqrt(squared_length(values));
  for (float& value : values) value = static_cast<float>(static_cast<double>(value) / length);
}

/// Decodes a row to float32 and, if the metric compares directions only, scales it to length 1.
void load_row(const Distance& distance, const Distance::Query& row,
              std::span<float> values) noexcept {
  usearch::decode_row(distance.type(), row.row, values);
  if (distance.metric() != Metric::cos) return;
  if (std::isnan(row.inverse_norm)) {
    scale_to_unit(values);
    return;
  }
  for (float& value : values) value *= row.inverse_norm;
}

/// Rounds to the nearest integer, ties to even; |value| must be below 2^22. It adds a number so
/// large that the sum has no bits for fractions. The library function is not used, because not
/// every compiler inlines it.
float rounded(float value) noexcept {
  constexpr float kNoFractions = 0x1.8p23F;
  return (value + kNoFractions) - kNoFractions;
}

float subtract(std::span<float> values, std::span<const float> center) noexcept {
  float largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] -= center[i];
    largest = std::max(largest, std::fabs(values[i]));
  }
  return largest;
}

/// Adds to `error` the rounding of the row's length, of the subtraction, and of `error` itself.
float with_rounding(double error, double length, double centered_length, std::size_t dim) noexcept {
  return static_cast<float>(error * (1 + 1e-6) + rounding(dim) * length +
                            0x1p-22 * centered_length);
}

/// Returns the terms of a vector kept as `scale` · code, under a metric that compares lengths of
/// differences. `error`: the distance between the vector and its code.
Codes::Terms difference_terms(double scale, std::int64_t code_squares, double error, double length,
                              double centered_length, std::size_t dim) noexcept {
  const double bias = scale * scale * static_cast<double>(code_squares);
  return {static_cast<float>(bias), static_cast<float>(std::sqrt(2.0) * scale),
          bias < kLargestBias ? with_rounding(error, length, centered_length, dim)
                              : std::numeric_limits<float>::infinity()};
}

}  // namespace

bool Codes::suits(const Distance& distance) noexcept {
  const bool metric = distance.metric() == Metric::cos || distance.metric() == Metric::l2sq ||
                      distance.metric() == Metric::ip;
  const bool type = distance.type() == ElementType::f32 || distance.type() == ElementType::f16 ||
                    distance.type() == ElementType::bf16;
  return metric && type && distance.dim() >= kMinDim && distance.dim() <= distances::kMaxIntegerDim;
}

Codes::Codes(const Distance& distance, std::size_t num_rows)
    : has_ratios_(distance.metric() != Metric::ip),
      dim_(distance.dim()),
      stride_((distance.dim() + 63) / 64 * 64),
      kernel_(distances::kernels().i8.dot.gather),
      num_centered_(num_rows),
      codes_(num_rows * stride_),
      terms_(num_rows) {}

Result<Codes> Codes::create(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
                            int threads) {
  Codes codes(distance, num_rows);
  codes.set_center(distance, rows, num_rows);
  constexpr std::size_t kRowsAtOnce = 256;
  const std::size_t parts = (num_rows + kRowsAtOnce - 1) / kRowsAtOnce;
  EMBD_TRY(parallel_for(parts, threads, [&](std::size_t part) -> Result<void> {
    std::vector<float> values(distance.dim());
    const std::size_t end = std::min(num_rows, (part + 1) * kRowsAtOnce);
    for (std::size_t slot = part * kRowsAtOnce; slot < end; ++slot) {
      codes.encode(distance, rows, slot, values);
    }
    return {};
  }));
  return codes;
}

void Codes::update(const Distance& distance, const StoredRows& rows, std::size_t num_rows,
                   std::span<const std::uint32_t> slots) {
  codes_.resize(num_rows * stride_);
  terms_.resize(num_rows);
  std::vector<float> values(dim_);
  for (const std::uint32_t slot : slots) encode(distance, rows, slot, values);
}

void Codes::set_center(const Distance& distance, const StoredRows& rows, std::size_t num_rows) {
  const std::size_t step = num_rows / kCenterRows + 1;
  std::vector<double> sums(dim_);
  std::vector<float> values(dim_);
  std::size_t count = 0;
  for (std::size_t slot = 0; slot < num_rows; slot += step, ++count) {
    load_row(distance, distance.query(rows, slot), values);
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
  load_row(distance, distance.query(rows, slot), values);
  const double length = std::sqrt(squared_length(values));
  const float largest = subtract(values, center_);
  const double centered_length = std::sqrt(squared_length(values));
  auto* code = reinterpret_cast<std::int8_t*>(codes_.data() + slot * stride_);
  Terms& terms = terms_[slot];
  const float scale = largest / kLargestCode;
  if (distance.metric() == Metric::cos && !(length > 0)) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::fill_n(code, dim_, std::int8_t{0});
    terms = {kInfinity, 0, kInfinity};
    return;
  }
  if (!(scale > 0) || !std::isfinite(centered_length)) {
    std::fill_n(code, dim_, std::int8_t{0});
    terms = {0, 0,
             std::isfinite(centered_length)
                 ? with_rounding(centered_length, length, centered_length, dim_)
                 : std::numeric_limits<float>::infinity()};
    return;
  }
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    const float whole = std::clamp(rounded(values[i] / scale), -kLargestCode, kLargestCode);
    code[i] = static_cast<std::int8_t>(whole);
    squares += int{code[i]} * int{code[i]};
    values[i] -= scale * whole;
  }
  const auto scaled = static_cast<double>(scale);
  if (distance.metric() == Metric::ip) {
    double along_center = 0;
    for (std::size_t i = 0; i < dim_; ++i) {
      along_center += static_cast<double>(code[i]) * static_cast<double>(center_[i]);
    }
    terms = {static_cast<float>(-scaled * along_center), scale, 0};
    return;
  }
  const double error = std::sqrt(squared_length(values));
  terms = difference_terms(scaled, squares, error, length, centered_length, dim_);
}

bool CodeScreen::suits(const Distance& distance) noexcept {
  return Codes::suits(distance) && distance.metric() != Metric::ip &&
         distance.row_bytes() >= kMinScreenedBytes;
}

Result<void> CodeScreen::refresh(std::optional<Codes>& codes, const Distance& distance,
                                 const StoredRows& rows, std::size_t num_rows,
                                 std::span<const std::uint32_t> changed, int threads) {
  if (!suits(distance) || num_rows == 0) return {};
  if (codes && num_rows / 2 < codes->num_centered()) {
    codes->update(distance, rows, num_rows, changed);
  } else {
    codes = EMBD_TRY(Codes::create(distance, rows, num_rows, threads));
  }
  return {};
}

void CodeScreen::set(const Codes& codes, const Distance& distance, const Distance::Query& query) {
  codes_ = &codes;
  is_cosine_ = distance.metric() == Metric::cos;
  dim_ = distance.dim();
  values_.resize(dim_);
  code_.resize(dim_);
  load_row(distance, query, values_);
  const double length = std::sqrt(squared_length(values_));
  const float largest = subtract(values_, codes.center());
  const double centered_length = std::sqrt(squared_length(values_));
  // No sum of products with codes of rows may overflow 32 bits.
  const auto limit = static_cast<float>(
      std::min<std::size_t>(32767, 0x7fffffff / (static_cast<std::size_t>(kLargestCode) * dim_)));
  const float scale = largest / limit;
  const float per_scale = limit / largest;
  if (!(scale > 0) || !std::isfinite(centered_length) || !std::isfinite(per_scale)) {
    terms_ = {0, 0, std::numeric_limits<float>::infinity()};
    std::ranges::fill(code_, std::int16_t{0});
    return;
  }
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < dim_; ++i) {
    const auto whole = static_cast<std::int32_t>(rounded(values_[i] * per_scale));
    code_[i] = static_cast<std::int16_t>(whole);
    squares += whole * whole;
  }
  const auto scaled = static_cast<double>(scale);
  // Up to half a step per component, rounded up.
  const double error = 0.51 * scaled * std::sqrt(static_cast<double>(dim_));
  terms_ = difference_terms(scaled, squares, error, length, centered_length, dim_);
}

std::size_t CodeScreen::keep_within(float radius, std::span<std::uint32_t> slots,
                                    float* distances) const noexcept {
  // The greatest squared length of the difference of two rows whose computed distance is at most
  // `radius`.
  const auto wanted = static_cast<double>(radius);
  const double square =
      is_cosine_ ? 2 * (wanted + rounding(dim_))
                 : wanted * (1 + 2 * rounding(dim_)) + static_cast<double>(dim_) * 0x1p-120;
  const auto reach =
      static_cast<float>((std::sqrt(square) + static_cast<double>(terms_.error)) * (1 + 1e-6));
  distances::kernels().dot_i16_i8(code_.data(), codes_->codes(), slots.data(), slots.size(), dim_,
                                  distances);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Codes::Terms& terms = codes_->terms(slots[i]);
    const float biases = terms_.bias + terms.bias;
    // Minus what rounding may add in this sum.
    const float apart = biases * (1 - 0x1p-20F) - (terms_.factor * terms.factor) * distances[i];
    const float within = reach + terms.error;
    const bool ruled_out = apart > within * within;
    slots[kept] = slots[i];
    kept += ruled_out ? 0 : 1;
  }
  return kept;
}

}  // namespace embd
