#include "index/terms/bm25.h"

#include <cmath>
#include <numeric>

namespace embd {

double natural_logarithm(double x) noexcept {
  // x = m · 2^e with m near 1, and ln m = 2 · artanh(s), a series in s = (m − 1) / (m + 1).
  constexpr double ln_2 = 0.693147180559945309417;
  constexpr double half_root = 0.70710678118654752440;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < half_root) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  // s is below 0.172, so the first part that is left out is below 1e-18 of the sum.
  constexpr int most_power = 21;
  double sum = 0;
  for (int power = most_power; power >= 1; power -= 2) sum = sum * square + 1.0 / power;
  return 2 * s * sum + exponent * ln_2;
}

Bm25::Bm25(double k1, double b, std::span<const std::uint32_t> lengths) noexcept
    : num_rows_(static_cast<double>(lengths.size())), short_(k1 * (1 - b)) {
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  if (total == 0) return;
  average_length_ = static_cast<double>(total) / num_rows_;
  long_ = k1 * b / average_length_;
}

double Bm25::idf(std::uint64_t df) const noexcept {
  const auto rows = static_cast<double>(df);
  return natural_logarithm(1 + (num_rows_ - rows + 0.5) / (rows + 0.5));
}

}  // namespace embd
