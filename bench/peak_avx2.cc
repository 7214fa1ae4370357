namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(32)));
constexpr int kLanes = 8;
constexpr int kSums = 12;

#include "bench/peak.inc"

}  // namespace

double run_avx2_peak(long rounds) noexcept;
double run_avx2_peak(long rounds) noexcept {
  return run(rounds);
}

}  // namespace embd::bench
