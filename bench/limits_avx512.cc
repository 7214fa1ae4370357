#include "bench/limits.h"

namespace embd::bench {
namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr int kLanes = 16;
constexpr int kSums = 28;

#include "bench/limits.inc"

}  // namespace

extern const Limits avx512_limits;
const Limits avx512_limits = {multiply_add, read};

}  // namespace embd::bench
