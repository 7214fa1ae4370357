#include "bench/limits.h"

namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(32)));
constexpr int kLanes = 8;
constexpr int kSums = 12;

#include "bench/limits.inc"

}  // namespace

extern const Limits avx2_limits;
const Limits avx2_limits = {multiply_add, read};

}  // namespace embd::bench
