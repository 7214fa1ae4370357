#include "index/terms/bm25.h"

#include <numeric>

#include "engine/functions.h"

namespace embd {

Bm25::Bm25(double k1, double b, std::span<const std::uint32_t> lengths) noexcept
    : num_rows_(static_cast<double>(lengths.size())), short_(k1 * (1 - b)) {
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  if (total == 0) return;
  average_length_ = static_cast<double>(total) / num_rows_;
  long_ = k1 * b / average_length_;
}

double Bm25::idf(std::uint64_t df) const noexcept {
  const auto rows = static_cast<double>(df);
  return log_of(1 + (num_rows_ - rows + 0.5) / (rows + 0.5));
}

}  // namespace embd
