#include "index/distances/distance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "base/half.h"
#include "formats/vectors/usearch/usearch_scalar.h"

namespace embd::distances {
namespace {

template <class T>
struct Plain {
  const std::byte* row;
  double operator[](std::size_t i) const noexcept {
    T value;
    std::memcpy(&value, row + i * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }
};

struct Half {
  const std::byte* row;
  double operator[](std::size_t i) const noexcept {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * i, 2);
    return static_cast<double>(float_from_half(bits));
  }
};

struct Bfloat16 {
  const std::byte* row;
  double operator[](std::size_t i) const noexcept {
    std::uint16_t bits = 0;
    std::memcpy(&bits, row + 2 * i, 2);
    return static_cast<double>(float_from_bfloat16(bits));
  }
};

struct SmallFloat {
  const std::byte* row;
  const float* values;
  double operator[](std::size_t i) const noexcept {
    return static_cast<double>(values[std::to_integer<std::size_t>(row[i])]);
  }
};

/// Returns a power of two that scales the largest value to about 1, so that squares neither
/// overflow nor underflow.
template <class Row>
double scale_of(const Row& row, std::size_t dim) noexcept {
  double largest = 0;
  for (std::size_t i = 0; i < dim; ++i) largest = std::max(largest, std::fabs(row[i]));
  return largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1;
}

template <class Row>
double cosine(const Row& a, const Row& b, std::size_t dim) noexcept {
  const double of_a = scale_of(a, dim);
  const double of_b = scale_of(b, dim);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const double x = a[i] * of_a;
    const double y = b[i] * of_b;
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  if (aa == 0 || bb == 0) return aa == bb ? 0 : 1;
  return std::max(0.0, 1 - ab / (std::sqrt(aa) * std::sqrt(bb)));
}

template <class Row>
double inner_product(const Row& a, const Row& b, std::size_t dim) noexcept {
  double ab = 0;
  for (std::size_t i = 0; i < dim; ++i) ab += a[i] * b[i];
  return 1 - ab;
}

template <class Row>
double squared_l2(const Row& a, const Row& b, std::size_t dim) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Returns 1 − Pearson's r; 0 if r is not defined.
template <class Row>
double pearson(const Row& a, const Row& b, std::size_t dim) noexcept {
  double sum_a = 0;
  double sum_b = 0;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    sum_a += a[i];
    sum_b += b[i];
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  const auto n = static_cast<double>(dim);
  const double denominator = (n * aa - sum_a * sum_a) * (n * bb - sum_b * sum_b);
  if (denominator <= 0) return 0;
  return 1 - (n * ab - sum_a * sum_b) / std::sqrt(denominator);
}

/// Returns the Jensen–Shannon divergence in nats. The epsilon of float keeps each ratio from zero.
template <class Row>
double divergence(const Row& a, const Row& b, std::size_t dim) noexcept {
  constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
  double sum = 0;
  for (std::size_t i = 0; i < dim; ++i) {
    const double middle = (a[i] + b[i]) / 2 + kEpsilon;
    sum +=
        a[i] * std::log((a[i] + kEpsilon) / middle) + b[i] * std::log((b[i] + kEpsilon) / middle);
  }
  return sum / 2;
}

/// Returns the length in radians of the arc between two points (latitude, longitude) in degrees.
template <class Row>
double haversine(const Row& a, const Row& b) noexcept {
  constexpr double kRadians = std::numbers::pi / 180;
  const double latitude = std::sin((b[0] - a[0]) * kRadians / 2);
  const double longitude = std::sin((b[1] - a[1]) * kRadians / 2);
  return 2 * std::asin(std::sqrt(std::min(1.0, latitude * latitude + std::cos(a[0] * kRadians) *
                                                                         std::cos(b[0] * kRadians) *
                                                                         longitude * longitude)));
}

template <class Row>
double distance(Metric metric, const Row& a, const Row& b, std::size_t dim) noexcept {
  switch (metric) {
    case Metric::cos:
      return cosine(a, b, dim);
    case Metric::ip:
      return inner_product(a, b, dim);
    case Metric::l2sq:
      return squared_l2(a, b, dim);
    case Metric::pearson:
      return pearson(a, b, dim);
    case Metric::divergence:
      return divergence(a, b, dim);
    case Metric::haversine:
      return haversine(a, b);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

double bit_distance(Metric metric, const std::byte* a, const std::byte* b,
                    std::size_t bytes) noexcept {
  double both = 0;
  double either = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    both += std::popcount(std::to_integer<unsigned>(a[i] & b[i]));
    either += std::popcount(std::to_integer<unsigned>(a[i] | b[i]));
  }
  switch (metric) {
    case Metric::hamming:
      return either - both;
    case Metric::sorensen:  // 0/0 has no value
      return 1 - 2 * both / (both + either);
    default:  // Tanimoto and jaccard are equal for bits.
      return either == 0 ? 0 : 1 - both / either;
  }
}

}  // namespace

double plain_distance(Metric metric, ElementType type, const std::byte* a, const std::byte* b,
                      std::size_t dim) noexcept {
  switch (type) {
    case ElementType::f32:
      return distance(metric, Plain<float>{a}, Plain<float>{b}, dim);
    case ElementType::f64:
      return distance(metric, Plain<double>{a}, Plain<double>{b}, dim);
    case ElementType::f16:
      return distance(metric, Half{a}, Half{b}, dim);
    case ElementType::bf16:
      return distance(metric, Bfloat16{a}, Bfloat16{b}, dim);
    case ElementType::i8:
      return distance(metric, Plain<std::int8_t>{a}, Plain<std::int8_t>{b}, dim);
    case ElementType::u8:
      return distance(metric, Plain<std::uint8_t>{a}, Plain<std::uint8_t>{b}, dim);
    case ElementType::b1:
      return bit_distance(metric, a, b, static_cast<std::size_t>(usearch::row_bytes(type, dim)));
    default: {
      const float* values = usearch::small_float_values(type);
      return distance(metric, SmallFloat{a, values}, SmallFloat{b, values}, dim);
    }
  }
}

}  // namespace embd::distances
