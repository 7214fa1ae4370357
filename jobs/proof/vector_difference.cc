#include "embd/verify.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/counted.h"

namespace embd {
namespace {

double distance(float a, float b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

}  // namespace

void VectorDifference::add_row(std::uint64_t row, std::span<const float> a,
                               std::span<const float> b) {
  bool equal = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = distance(a[i], b[i]);
    equal = equal && d == 0;
    if (d <= largest_) continue;
    largest_ = d;
    largest_row_ = row;
    largest_value_ = i;
  }
  if (equal) ++equal_rows_;
  ++rows_;
}

std::string VectorDifference::text() const {
  std::string text = fmt::format("{}, {} equal, largest difference {:.3g}", counted(rows_, "row"),
                                 equal_rows_, largest_);
  if (largest_ > 0) text += fmt::format(" (row {}, value {})", largest_row_, largest_value_);
  return text;
}

}  // namespace embd
