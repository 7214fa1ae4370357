namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;
constexpr int kSums = 28;

#include "bench/peak.inc"

}  // namespace

double run_avx512_peak(long rounds) noexcept;
double run_avx512_peak(long rounds) noexcept {
  return run(rounds);
}

}  // namespace embd::bench
