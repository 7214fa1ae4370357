#include "engine/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace embd {
namespace {

/// The values 1 / n!, from n = 0 on.
constexpr auto inverse_factorials = [] {
  std::array<double, 18> values{};
  double factorial = 1;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (n > 0) factorial *= static_cast<double>(n);
    values[n] = 1 / factorial;
  }
  return values;
}();

constexpr double largest_exponent = 700;
constexpr double inverse_ln2 = 0x1.71547652b82fep+0;
// ln 2 in two parts: multiples of the first by a power of two up to 2^11 are exact.
constexpr double ln2_high = 0x1.62e42fee00000p-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double inverse_sqrt2 = 0x1.6a09e667f3bcdp-1;
constexpr double two_by_sqrt_pi = 0x1.20dd750429b6dp+0;

/// Returns a part of the series of the sine (from 1) or the cosine (from 0): 1 / from! − x² / (from
/// + 2)! + …, as a function of −x².
double every_second(std::size_t from, double minus_square) noexcept {
  double sum = 0;
  for (std::size_t n = inverse_factorials.size() - 2 + from; n > from; n -= 2)
    sum = (sum + inverse_factorials[n]) * minus_square;
  return sum + inverse_factorials[from];
}

/// Returns the error function: 2 / √π · e^(−x²) · (x + 2x³ / 3 + 4x⁵ / 15 + …), whose terms all
/// have the sign of x.
double erf_of(double x) noexcept {
  constexpr double is_one_from = 6;
  if (std::isnan(x)) return x;
  if (std::abs(x) >= is_one_from) return std::copysign(1, x);
  double term = x;
  double sum = x;
  for (int n = 1; std::abs(term) > std::abs(sum) * 0x1p-56; ++n) {
    term = term * (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return two_by_sqrt_pi * exp_of(-x * x) * sum;
}

}  // namespace

double exp_of(double x) noexcept {
  if (std::isnan(x)) return x;
  x = std::clamp(x, -largest_exponent, largest_exponent);
  const double power = std::floor(x * inverse_ln2 + 0.5);
  const double rest = (x - power * ln2_high) - power * ln2_low;
  constexpr std::size_t num_terms = 14;
  double sum = 0;
  for (std::size_t n = num_terms; n > 0; --n) sum = sum * rest + inverse_factorials[n - 1];
  return std::ldexp(sum, static_cast<int>(power));
}

double log_of(double x) noexcept {
  constexpr int num_terms = 13;
  int power = 0;
  double fraction = std::frexp(x, &power);
  if (fraction < inverse_sqrt2) {
    fraction *= 2;
    --power;
  }
  // ln((1 + t) / (1 − t)) = 2 (t + t³ / 3 + t⁵ / 5 + …)
  const double t = (fraction - 1) / (fraction + 1);
  double sum = 0;
  for (int n = num_terms; n > 0; --n) sum = sum * (t * t) + 1.0 / (2 * n - 1);
  return (power * ln2_low + 2 * t * sum) + power * ln2_high;
}

SineAndCosine sine_and_cosine(double angle) noexcept {
  // π / 2 in three parts: multiples of the first two by numbers below 2^20 are exact.
  constexpr double high = 0x1.921fb544p+0;
  constexpr double middle = 0x1.0b4611a6p-34;
  constexpr double low = 0x1.3198a2e037073p-69;
  constexpr double inverse = 0x1.45f306dc9c883p-1;
  const double quarters = std::floor(angle * inverse + 0.5);
  const double rest = ((angle - quarters * high) - quarters * middle) - quarters * low;
  const double sine = rest * every_second(1, -rest * rest);
  const double cosine = every_second(0, -rest * rest);
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

double tanh_of(double x) noexcept {
  constexpr double is_one_from = 20;
  constexpr double is_cubic_to = 0x1p-13;
  const double t = std::min(std::abs(x), is_one_from);
  if (std::isnan(x)) return x;
  if (t < is_cubic_to) return std::copysign(t - t * t * t / 3, x);
  const double e = exp_of(-2 * t);
  return std::copysign((1 - e) / (1 + e), x);
}

double sigmoid_of(double x) noexcept {
  return 1 / (1 + exp_of(-x));
}

double relu_of(double x) noexcept {
  return x < 0 ? 0 : x;  // NaN stays NaN.
}

double silu_of(double x) noexcept {
  return x * sigmoid_of(x);
}

double gelu_of(double x) noexcept {
  return x * (1 + erf_of(x * inverse_sqrt2)) / 2;
}

}  // namespace embd
