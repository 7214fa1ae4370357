#include "engine/heads/functions.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace embd {
namespace {

/// The values 1 / n!, from n = 0 on.
constexpr auto inverse_factorials = [] {
  std::array<double, 14> values{};
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

}  // namespace

double exp_of(double x) noexcept {
  if (std::isnan(x)) return x;
  x = std::clamp(x, -largest_exponent, largest_exponent);
  const double power = std::floor(x * inverse_ln2 + 0.5);
  const double rest = (x - power * ln2_high) - power * ln2_low;
  double sum = 0;
  for (auto factor = inverse_factorials.rbegin(); factor != inverse_factorials.rend(); ++factor)
    sum = sum * rest + *factor;
  return std::ldexp(sum, static_cast<int>(power));
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

}  // namespace embd
